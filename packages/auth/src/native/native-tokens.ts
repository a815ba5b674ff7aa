import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { IssuedToken, KnownUser } from '../authenticator.ts';
import { keyFor } from '../tokens/algorithms.ts';
import { checkToken, MAX_TOKEN_LENGTH, TokenRefused, type TokenRules } from '../tokens/check-token.ts';
import { VerifiedTokens } from '../tokens/verified-tokens.ts';
import type { NativeConfig, SigningKeys } from './signing-keys.ts';

/** The number of verified tokens in the cache; each takes some hundred bytes. */
const MAX_VERIFIED = 10_000;

/** The user to whom a token was issued. */
export interface TokenSubject {
  readonly name: string;
  readonly userId: string;
  /** Absent for users without a password. */
  readonly credentialId: string | undefined;
}

/**
 * Issues and verifies the tokens of this instance: JWTs that name the user and the id of the password for which
 * they were issued.
 */
export class NativeTokens {
  readonly #keys: SigningKeys;
  readonly #jwt: NativeConfig['jwt'];
  readonly #rules: TokenRules;
  readonly #verified = new VerifiedTokens(MAX_VERIFIED);

  constructor(keys: SigningKeys, jwt: NativeConfig['jwt'], instanceId: string) {
    this.#keys = keys;
    this.#jwt = jwt;
    this.#rules = {
      issuer: instanceId,
      audience: instanceId,
      types: ['jwt'],
      clockSkewMs: jwt.clock_skew_tolerance,
      maxAgeMs: jwt.max_token_age,
    };
  }

  async issue(user: KnownUser, nowMs: number): Promise<IssuedToken> {
    const { algorithm, signing } = this.#keys;
    const issuedAt = Math.floor(nowMs / 1000);
    // The reported lifetime is no longer than the token is accepted, so that clients request a new one in time.
    const expiresInSeconds = Math.floor(Math.min(this.#jwt.token_expiry, this.#jwt.max_token_age) / 1000);
    const accessToken = await new SignJWT({ uid: user.id, cid: user.credential?.id })
      .setProtectedHeader({ alg: algorithm, kid: signing.kid, typ: 'JWT' })
      .setIssuer(this.#rules.issuer)
      .setAudience(this.#rules.audience)
      .setSubject(user.name)
      .setIssuedAt(issuedAt)
      .setNotBefore(issuedAt)
      .setExpirationTime(issuedAt + expiresInSeconds)
      .setJti(randomUUID())
      .sign(signing.key);
    return { accessToken, expiresInSeconds };
  }

  /** @throws TokenRefused */
  async check(token: string, nowMs: number): Promise<TokenSubject> {
    if (token.length > MAX_TOKEN_LENGTH) throw new TokenRefused('too long');
    const known = this.#verified.get(token, nowMs);
    const checked =
      known ?? (await checkToken(token, this.#rules, (hint) => keyFor(this.#keys.checking, hint), nowMs));
    const { sub: name, uid: userId, cid: credentialId } = checked.claims;
    if (typeof name !== 'string' || typeof userId !== 'string')
      throw new TokenRefused('not a token of a user');
    if (credentialId !== undefined && typeof credentialId !== 'string')
      throw new TokenRefused('malformed cid');
    if (known === undefined) this.#verified.add(token, checked);
    return { name, userId, credentialId };
  }
}
