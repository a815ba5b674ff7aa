import type { KeyObject } from 'node:crypto';
import type { SignatureAlgorithm } from './algorithms.ts';

/** A public key and what it is trusted to check. */
export interface CheckingKey {
  readonly kid: string | undefined;
  /** Never more than the key's own kind: a token chooses among these and nothing else. */
  readonly algorithms: readonly SignatureAlgorithm[];
  readonly key: KeyObject;
}

/** The part of a token's header that selects a key; the rest of the header is ignored. */
export interface KeyHint {
  readonly kid: string | undefined;
  readonly alg: string;
}

/**
 * The one key that a token can mean. Without `kid` that is the only key there is; undefined where several keys fit, so that
 * a token is never tried against key after key.
 */
export function keyFor(keys: readonly CheckingKey[], { kid, alg }: KeyHint): CheckingKey | undefined {
  if (kid === undefined && keys.length !== 1) return undefined;
  const fitting = keys.filter(
    (key) => (kid === undefined || key.kid === kid) && key.algorithms.some((algorithm) => algorithm === alg),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}
