import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { exposure, fail, type Logger, newUlid } from '@tessera/common';
import type { EngineConfig } from '@tessera/config';
import { algorithmsOf, type CheckingKey, MIN_RSA_BITS } from '../tokens/algorithms.ts';

export type NativeConfig = NonNullable<EngineConfig['auth']['native']>;
export type SigningAlgorithm = NativeConfig['signing_algorithm'];

/** The first key signs, and all keys verify. */
export interface SigningKeys {
  readonly algorithm: SigningAlgorithm;
  readonly signing: { readonly kid: string; readonly key: KeyObject };
  readonly checking: readonly CheckingKey[];
}

/**
 * Reads `auth.native.signing_keys`. Without any, generates a key that is valid until the process ends.
 * @throws TesseraError INVALID_ARGUMENT that names the parameter and the file
 */
export function openSigningKeys(config: NativeConfig, log: Logger): SigningKeys {
  const algorithm = config.signing_algorithm;
  const pairs = config.signing_keys.map(({ id, private_key_path: path }, i) => {
    const at = `auth.native.signing_keys[${i}].private_key_path: ${path}`;
    return { kid: id, key: readKey(path, at, algorithm) };
  });
  if (pairs.length === 0) {
    log.warn(
      'auth.native.signing_keys is empty: tokens are signed with a temporary key, become invalid when this node stops, and are refused by other nodes. For development only.',
    );
    pairs.push({ kid: `ephemeral-${newUlid()}`, key: makeKey(algorithm) });
  }
  const [signing] = pairs;
  if (signing === undefined) throw new Error('unreachable: a key was made');
  const checking = pairs.map(({ kid, key }) => ({ kid, algorithms: [algorithm], key: createPublicKey(key) }));
  return { algorithm, signing, checking };
}

function readKey(path: string, at: string, algorithm: SigningAlgorithm): KeyObject {
  const refuse = (why: string, cause?: unknown): never =>
    fail('INVALID_ARGUMENT', { message: `${at} ${why}` }, { cause });
  const pem = readProtected(path, refuse);
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (error) {
    return refuse('is not a private key in PEM without passphrase', error);
  }
  if (!algorithmsOf(key).includes(algorithm))
    refuse(`is ${kindOf(key)}; signing_algorithm ${algorithm} needs ${neededKey(algorithm)}`);
  return key;
}

/** Checks the permissions of the opened file rather than of the path, which might name another file by then. */
function readProtected(path: string, refuse: (why: string, cause?: unknown) => never): Buffer {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    return refuse(`cannot be read: ${error instanceof Error ? error.message : error}`, error);
  }
  try {
    const exposed = exposure(fstatSync(file));
    if (exposed !== undefined)
      refuse(
        `can be read or changed by ${exposed === 'group' ? 'its group' : 'everybody'} on this machine; run: chmod 600 '${path}'`,
      );
    return readFileSync(file);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      return refuse(`cannot be read: ${error.message}`, error);
    throw error;
  } finally {
    closeSync(file);
  }
}

/** The names of the curves in node:crypto and in messages. */
const CURVES: Readonly<Record<string, readonly [openssl: string, name: string]>> = {
  ES256: ['prime256v1', 'P-256'],
  ES384: ['secp384r1', 'P-384'],
  ES512: ['secp521r1', 'P-521'],
};

function neededKey(algorithm: SigningAlgorithm): string {
  const curve = CURVES[algorithm];
  return curve === undefined
    ? `an RSA key of ${MIN_RSA_BITS} bits or more`
    : `an EC key on the curve ${curve[1]}`;
}

function kindOf(key: KeyObject): string {
  const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {};
  if (modulusLength !== undefined) return `an RSA key of ${modulusLength} bits (${key.asymmetricKeyType})`;
  if (namedCurve !== undefined) return `an EC key on the curve ${namedCurve}`;
  return `a key of type ${key.asymmetricKeyType}`;
}

function makeKey(algorithm: SigningAlgorithm): KeyObject {
  const curve = CURVES[algorithm];
  return curve === undefined
    ? generateKeyPairSync('rsa', { modulusLength: MIN_RSA_BITS }).privateKey
    : generateKeyPairSync('ec', { namedCurve: curve[0] }).privateKey;
}
