import { errors, type JWTPayload, jwtVerify } from 'jose';
import { type CheckingKey, type KeyHint, SIGNATURE_ALGORITHMS } from './algorithms.ts';

/**
 * The reason why a token is refused, for the log; clients get `refusedToken()`. It contains nothing of the
 * token.
 */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
}

/** The maximum length of a token in characters; longer ones are not parsed. */
export const MAX_TOKEN_LENGTH = 8192;

/** The requirements on a token beyond its signature. */
export interface TokenRules {
  readonly issuer: string;
  /** The required audience: `aud` of the token must equal or contain it. */
  readonly audience: string;
  /**
   * The accepted values of `typ`, in lower case and without `application/`; undefined stands for a header
   * without `typ`.
   */
  readonly types: readonly (string | undefined)[];
  /** The tolerance for `exp`, `nbf` and `iat`. */
  readonly clockSkewMs: number;
  /** The maximum age since `iat`; older tokens are refused, whatever their `exp`. */
  readonly maxAgeMs: number;
}

export interface CheckedToken {
  readonly claims: JWTPayload & { readonly iss: string; readonly iat: number; readonly exp: number };
  /** The time from which the same check would refuse the token because of `exp` or its age. */
  readonly validUntilMs: number;
}

/**
 * Verifies the signature and the claims of a JWT. `findKey` gets the part of the header that selects the key,
 * and may fetch keys. Keys and addresses of keys inside the token (`jwk`, `jku`, `x5c`, `x5u`) are never used,
 * and tokens with `crit` are refused.
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
    // jose has already checked that all three are present and have the right types.
    const claims = payload as CheckedToken['claims'];
    return { claims, validUntilMs: (Math.min(claims.exp, claims.iat + maxAge) + skew) * 1000 };
  } catch (error) {
    throw error instanceof errors.JOSEError ? new TokenRefused(reasonOf(error)) : error;
  }
}

/**
 * jose also accepts signatures with blanks, padding and stray last bits. One signature would then have many
 * spellings, each of them a different token for the cache of verified tokens.
 */
function isWrittenStrictly(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return (
    /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) &&
    Buffer.from(signature, 'base64url').toString('base64url') === signature
  );
}

/** `typ` is a media type; `application/` may be omitted, and case does not matter (RFC 7515, section 4.1.9). */
function typeName(typ: unknown): string | undefined {
  if (typ === undefined) return undefined;
  return typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : 'not a string';
}

/** Names the claim but never its value, because otherwise the author of a token could write into the log. */
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
