import { errors, type JWTPayload, jwtVerify } from 'jose';
import { type CheckingKey, type KeyHint, SIGNATURE_ALGORITHMS } from './algorithms.ts';

/** Why a token is refused, for the log; clients get `refusedToken()`. Holds nothing of the token. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
}

/** Characters of the longest token that is looked at. */
export const MAX_TOKEN_LENGTH = 8192;

/** The requirements on a token beyond its signature. */
export interface TokenRules {
  readonly issuer: string;
  /** Must be the `aud` of the token, or among them. */
  readonly audience: string;
  /** Values of `typ` that are taken, in lower case and without `application/`; undefined stands for a header without one. */
  readonly types: readonly (string | undefined)[];
  /** `exp`, `nbf` and `iat` may be off by this much. */
  readonly clockSkewMs: number;
  /** Counted from `iat`; older tokens are refused whatever their `exp`. */
  readonly maxAgeMs: number;
}

export interface CheckedToken {
  readonly claims: JWTPayload & { readonly iss: string; readonly iat: number; readonly exp: number };
  /** The time from which the same check would refuse the token, by `exp` or by age. */
  readonly validUntilMs: number;
}

/**
 * Checks signature and claims of a JWT. `findKey` gets what the header says of the key, and may fetch; keys and addresses of
 * keys inside the token (`jwk`, `jku`, `x5c`, `x5u`) are never looked at, and tokens with `crit` are refused.
 * @throws TokenRefused, and what `findKey` throws
 */
export async function checkToken(
  token: string,
  rules: TokenRules,
  findKey: (hint: KeyHint) => CheckingKey | undefined | Promise<CheckingKey | undefined>,
  nowMs: number,
): Promise<CheckedToken> {
  if (token.length > MAX_TOKEN_LENGTH) throw new TokenRefused('too long');
  if (!isWrittenStrictly(token)) throw new TokenRefused('malformed');
  const skew = rules.clockSkewMs / 1000;
  const maxAge = rules.maxAgeMs / 1000;
  const keyOf = async ({
    alg,
    kid,
    typ,
    crit,
  }: {
    alg: string;
    kid?: unknown;
    typ?: unknown;
    crit?: unknown;
  }) => {
    if (crit !== undefined) throw new TokenRefused('crit in the header');
    if (!rules.types.includes(typeName(typ))) throw new TokenRefused('another type of token');
    if (kid !== undefined && typeof kid !== 'string') throw new TokenRefused('malformed');
    const found = await findKey({ kid, alg });
    if (!found?.algorithms.some((algorithm) => algorithm === alg)) throw new TokenRefused('no such key');
    return found.key;
  };
  try {
    const { payload } = await jwtVerify(token, keyOf, {
      algorithms: [...SIGNATURE_ALGORITHMS],
      issuer: rules.issuer,
      audience: rules.audience,
      requiredClaims: ['exp', 'iat'],
      clockTolerance: skew,
      maxTokenAge: maxAge,
      currentDate: new Date(nowMs),
    });
    // jose has required all three and their types.
    const claims = payload as CheckedToken['claims'];
    return { claims, validUntilMs: (Math.min(claims.exp, claims.iat + maxAge) + skew) * 1000 };
  } catch (error) {
    throw error instanceof errors.JOSEError ? new TokenRefused(reasonOf(error)) : error;
  }
}

/**
 * jose also accepts signatures with blanks, padding and stray last bits, so one signature would have many spellings, each a
 * different token for the cache of verified tokens.
 */
function isWrittenStrictly(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return (
    /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) &&
    Buffer.from(signature, 'base64url').toString('base64url') === signature
  );
}

/** `typ` is a media type that may leave `application/` away, in any case (RFC 7515, 4.1.9). */
function typeName(typ: unknown): string | undefined {
  if (typ === undefined) return undefined;
  return typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : 'not a string';
}

/** Names the claim and never shows its value: whoever writes a token could write into the log otherwise. */
function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired)
    return error.claim === 'iat' ? 'older than max_token_age' : 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === 'missing') return `no ${error.claim}`;
    if (error.reason === 'invalid') return `malformed ${error.claim}`;
    if (error.claim === 'nbf') return 'not valid yet';
    if (error.claim === 'iat') return 'issued in the future';
    return `another ${error.claim}`;
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'wrong signature';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'algorithm not allowed';
  return 'malformed';
}
