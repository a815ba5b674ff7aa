import { fail } from '@tessera/common';

import type { QueryParameter, Statement } from '@tessera/sql';
import { type AdvisoryCall, advisoryCalls, mentionsAdvisoryLocks } from './advisory-calls.ts';
import type { AdvisoryLocks, LockMode } from './advisory-locks.ts';

/** The result of a call: undefined for `void`, null for NULL. */
type Answer = boolean | null | undefined;

/** The advisory locks of one session. */
export class SessionLocks {
  readonly #locks: AdvisoryLocks;
  readonly #ofTransaction: { readonly key: string; readonly mode: LockMode }[] = [];

  constructor(locks: AdvisoryLocks) {
    this.#locks = locks;
  }

  /**
   * Executes the advisory lock calls of a query, once each, before the query runs. Returns the query with
   * each call's arguments replaced by its outcome, for the engine.
   * @param wait runs a function that waits for a lock, so that the client can cancel it
   * @throws TesseraError NOT_SUPPORTED for calls in other statements, DEADLOCK, the reason why a wait was
   * cancelled
   */
  async run(
    {
      text,
      statement,
      database,
    }: { readonly text: string; readonly statement: Statement; readonly database: string },
    parameters: readonly QueryParameter[],
    wait: (work: (signal: AbortSignal) => Promise<void>) => Promise<void>,
  ): Promise<string> {
    if (!mentionsAdvisoryLocks(text)) return text;
    const calls = advisoryCalls(text, parameters);
    if (calls.length > 0 && statement.kind !== 'query') {
      fail('NOT_SUPPORTED', { what: 'An advisory lock function in a statement that is no query' });
    }
    let answered = '';
    let at = 0;
    for (const call of calls) {
      const key = call.key === undefined ? undefined : `${database}/${call.key}`;
      const answer =
        key === undefined && call.action !== 'unlock all' ? null : await this.#do(call, key!, wait);
      answered += `${text.slice(at, call.start)}${answer === undefined ? '' : String(answer)}`;
      at = call.end;
    }
    return answered + text.slice(at);
  }

  async #do(
    { action, mode, isOfTransaction }: AdvisoryCall,
    key: string,
    wait: (work: (signal: AbortSignal) => Promise<void>) => Promise<void>,
  ): Promise<Answer> {
    switch (action) {
      case 'unlock':
        return this.#locks.release(this, key, mode);
      case 'unlock all':
        return void this.releaseSession();
      case 'try':
        if (!this.#locks.tryAcquire(this, key, mode)) return false;
        break;
      case 'lock':
        await wait((signal) => this.#locks.acquire(this, key, mode, signal));
        break;
    }
    if (isOfTransaction) this.#ofTransaction.push({ key, mode });
    return action === 'try' ? true : undefined;
  }

  /** Releases the locks that were acquired for the transaction. */
  endTransaction(): void {
    for (const { key, mode } of this.#ofTransaction.splice(0)) this.#locks.release(this, key, mode);
  }

  /** Releases the locks that were acquired for the session and keeps those of the transaction. */
  releaseSession(): void {
    this.#locks.releaseAll(this, this.#ofTransaction);
  }

  close(): void {
    this.#locks.releaseAll(this);
  }
}
