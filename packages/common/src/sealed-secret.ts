import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { TesseraError } from './errors.ts';

/** `sealed:1:<key id>:<base64url of nonce, tag, ciphertext>`, AES-256-GCM. */
const SEALED = /^sealed:1:([0-9a-f]{16}):([A-Za-z0-9_-]{38,})$/;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface SecretKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Encrypts texts that must not be readable in files, such as the credentials of locations. */
export class SecretKeys {
  readonly #keys: readonly SecretKey[];

  /** The first key encrypts, and all of them decrypt, so that a key can be replaced. Each has 32 bytes. */
  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys.map((bytes) => ({ id: keyId(bytes), bytes: Buffer.from(bytes) }));
  }

  /** Whether there is a key to encrypt with. */
  get canSeal(): boolean {
    return this.#keys.length > 0;
  }

  /**
   * Encrypts the text; without a key, returns it unchanged. A text that is already encrypted with a key that is
   * not known here remains unchanged. `purpose` must be the same for `open`.
   */
  seal(text: string, purpose: string): string {
    const [key] = this.#keys;
    if (key === undefined || isSealed(text)) return text;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(Buffer.from(purpose));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `sealed:1:${key.id}:${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
  }

  /**
   * Decrypts the text. A text that is not encrypted, or was encrypted with a key that is not known here,
   * remains unchanged.
   */
  open(text: string, purpose: string): string {
    const [, id, encoded] = SEALED.exec(text) ?? [];
    const key = this.#keys.find((one) => one.id === id);
    if (key === undefined || encoded === undefined) return text;
    const bytes = Buffer.from(encoded, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([body, decipher.final()]).toString('utf8');
    } catch {
      // The text was damaged or made by hand: `requireOpen` reports this when it is used.
      return text;
    }
  }
}

export const isSealed = (text: string): boolean => SEALED.test(text);

/** @throws TesseraError SECRET_KEY_MISSING if the text is still encrypted */
export function requireOpen(text: string): string {
  const [, id] = SEALED.exec(text) ?? [];
  if (id === undefined) return text;
  throw TesseraError.of('SECRET_KEY_MISSING', { keyId: id });
}

const KEYS = 'TESSERA_SECRETS_KEY';
let known: { readonly text: string | undefined; readonly keys: SecretKeys } | undefined;

/**
 * The keys of `TESSERA_SECRETS_KEY`, or of the file that `TESSERA_SECRETS_KEY_FILE` names: each 32 bytes in base64 or
 * hexadecimal, several with commas between them.
 * @throws TesseraError INVALID_ARGUMENT for a key of another length, or a file that cannot be read
 */
export function secretKeys(environment: NodeJS.ProcessEnv = process.env): SecretKeys {
  const text = environment[KEYS] ?? contentOf(environment[`${KEYS}_FILE`]);
  if (known === undefined || known.text !== text) {
    const parts = (text ?? '').split(',').map((part) => part.trim());
    known = { text, keys: new SecretKeys(parts.filter((part) => part !== '').map(keyOf)) };
  }
  return known.keys;
}

let file: { readonly path: string; readonly text: string } | undefined;

/** A file is read once. */
function contentOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  if (file?.path === path) return file.text;
  try {
    file = { path, text: readFileSync(path, 'utf8').trim() };
    return file.text;
  } catch (error) {
    return refuse(`The file of ${KEYS}_FILE cannot be read: ${(error as Error).message}`);
  }
}

function keyOf(text: string): Buffer {
  const key = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64');
  if (key.length === 32) return key;
  return refuse(
    `A key of ${KEYS} must be 32 bytes in base64 or hexadecimal; \`openssl rand -base64 32\` makes one`,
  );
}

const keyId = (key: Uint8Array): string =>
  createHash('sha256').update('tessera secrets key\0').update(key).digest('hex').slice(0, 16);

function refuse(message: string): never {
  throw TesseraError.of('INVALID_ARGUMENT', { message });
}
