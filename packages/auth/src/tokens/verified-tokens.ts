import { createHash } from 'node:crypto';
import type { CheckedToken } from './check-token.ts';

/**
 * Caches tokens whose signature was valid, by their hash, so that no token stays in memory longer than its
 * request.
 */
export class VerifiedTokens {
  readonly #tokens = new Map<string, CheckedToken>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** The verified content of the token; undefined if the token is unknown or its entry has expired. */
  get(token: string, nowMs: number): CheckedToken | undefined {
    const key = hashOf(token);
    const known = this.#tokens.get(key);
    if (known === undefined || nowMs < known.validUntilMs) return known;
    this.#tokens.delete(key);
    return undefined;
  }

  add(token: string, checked: CheckedToken): void {
    this.#tokens.set(hashOf(token), checked);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > this.#max && oldest !== undefined) this.#tokens.delete(oldest);
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64');
