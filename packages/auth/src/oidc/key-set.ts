import { createPublicKey, type KeyObject } from 'node:crypto';
import { algorithmsOf, type CheckingKey } from '../tokens/algorithms.ts';
import { isObject, type JsonObject, ProviderError } from './fetch-document.ts';

export interface KeySet {
  readonly keys: readonly CheckingKey[];
  /** The keys of the document that are not used, with the reasons. */
  readonly ignored: readonly string[];
}

/** Members that only private and symmetric keys have (RFC 7518, 6). */
const SECRET = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/**
 * Reads a JSON Web Key Set (RFC 7517). Keys that cannot be used do not affect the others. An empty set is
 * valid: in this way a provider withdraws its keys. @throws ProviderError
 */
export function readKeySet(document: JsonObject): KeySet {
  if (!Array.isArray(document.keys)) throw new ProviderError('the key set has no list of keys');
  const keys: CheckingKey[] = [];
  const ignored: string[] = [];
  for (const [index, entry] of (document.keys as unknown[]).entries()) {
    const key = readKey(entry);
    if (typeof key !== 'string') keys.push(key);
    else ignored.push(`${nameOf(entry, index)}: ${key}`);
  }
  return { keys, ignored };
}

/** Returns the key, or the reason why it is not used. */
function readKey(entry: unknown): CheckingKey | string {
  if (!isObject(entry)) return 'not an object';
  const { kty, kid, alg, use, key_ops } = entry;
  if (kty === 'oct') return 'symmetric';
  if (SECRET.some((member) => entry[member] !== undefined)) return 'its private part is published';
  if (use !== undefined && use !== 'sig') return 'not for signatures';
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes('verify'))) {
    return 'not for checking signatures';
  }
  if (kid !== undefined && typeof kid !== 'string') return 'its kid is not a text';
  const key = publicKey(entry);
  if (key === undefined) return 'malformed or of an unknown type';
  const possible = algorithmsOf(key);
  if (possible.length === 0) return 'too weak, or of a type that is not used';
  const algorithms = alg === undefined ? possible : possible.filter((algorithm) => algorithm === alg);
  return algorithms.length === 0 ? 'its alg is not one of its type' : { kid, algorithms, key };
}

function publicKey(entry: JsonObject): KeyObject | undefined {
  try {
    return createPublicKey({ key: entry, format: 'jwk' });
  } catch {
    return undefined;
  }
}

const nameOf = (entry: unknown, index: number) =>
  isObject(entry) && typeof entry.kid === 'string' ? `key ${JSON.stringify(entry.kid)}` : `keys[${index}]`;
