import type { KeyObject } from 'node:crypto';

const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const;
const OF_CURVE = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' } as const;

/**
 * The signature algorithms that tokens may use: those of key pairs. Tokens without a signature (`none`) or with
 * a shared secret (`HS…`) are never accepted.
 */
export type SignatureAlgorithm =
  | (typeof RSA)[number]
  | (typeof OF_CURVE)[keyof typeof OF_CURVE]
  | 'EdDSA'
  | 'Ed25519';

export const SIGNATURE_ALGORITHMS: readonly SignatureAlgorithm[] = [
  ...RSA,
  ...Object.values(OF_CURVE),
  'EdDSA',
  'Ed25519',
];

/** The minimum size of an RSA key in bits (RFC 7518, section 3.3). */
export const MIN_RSA_BITS = 2048;

/**
 * The algorithms that a key pair can sign or verify with; empty for keys that are too weak or of an unsupported kind.
 */
export function algorithmsOf(key: KeyObject): readonly SignatureAlgorithm[] {
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return modulusLength < MIN_RSA_BITS ? [] : RSA;
    case 'ec':
      return isKnownCurve(namedCurve) ? [OF_CURVE[namedCurve]] : [];
    case 'ed25519':
      return ['EdDSA', 'Ed25519'];
    default:
      return [];
  }
}

const isKnownCurve = (curve: string | undefined): curve is keyof typeof OF_CURVE =>
  curve !== undefined && Object.hasOwn(OF_CURVE, curve);

/** A public key and the algorithms that it may verify. */
export interface CheckingKey {
  readonly kid: string | undefined;
  /** Only algorithms of the key's own kind. A token can choose among these. */
  readonly algorithms: readonly SignatureAlgorithm[];
  readonly key: KeyObject;
}

/** The part of a token's header that selects a key; the rest of the header is ignored. */
export interface KeyHint {
  readonly kid: string | undefined;
  readonly alg: string;
}

/**
 * Returns the only key to which the token can refer. Without `kid` that is the only existing key; undefined if
 * several keys fit, so that a token is never tried against one key after another.
 */
export function keyFor(keys: readonly CheckingKey[], { kid, alg }: KeyHint): CheckingKey | undefined {
  if (kid === undefined && keys.length !== 1) return undefined;
  const fitting = keys.filter(
    (key) => (kid === undefined || key.kid === kid) && key.algorithms.some((algorithm) => algorithm === alg),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}
