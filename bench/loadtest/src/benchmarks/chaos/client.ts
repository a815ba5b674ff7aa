import { setTimeout as pause } from 'node:timers/promises';
import { HttpSession } from '../../load/http-session.ts';
import { WrongAnswer } from '../../load/session.ts';
import type { Journal } from './journal.ts';

/** How long a client waits for a node before it tries another one, in milliseconds. */
const LIMIT_MS = 5_000;
const PAUSE_MS = 20;
const CONFLICT = '40001';

/** A client that knows all nodes, and tries another one if a node does not answer. */
export class Client {
  readonly #sessions: readonly HttpSession[];
  readonly #journal: Journal;
  #next: number;

  constructor(urls: readonly string[], journal: Journal, first: number) {
    this.#sessions = urls.map((url) => new HttpSession(url, { limitMs: LIMIT_MS }));
    this.#journal = journal;
    this.#next = first;
  }

  /**
   * Does the work on a node, and on the others if that fails; repeats it after a conflict. Undefined if it
   * failed on all of them.
   * @throws WrongAnswer
   */
  async at<T>(work: (session: HttpSession) => Promise<T>): Promise<T | undefined> {
    for (let attempt = 0; attempt < this.#sessions.length; ) {
      try {
        const answer = await work(this.#sessions[this.#next++ % this.#sessions.length]!);
        this.#journal.answer(performance.now(), attempt === 0);
        return answer;
      } catch (error) {
        if (error instanceof WrongAnswer) throw error;
        // The node is available: another client was faster.
        if ((error as { sqlState?: string }).sqlState === CONFLICT) {
          this.#journal.conflicts++;
        } else {
          this.#journal.fail(error);
          attempt++;
        }
        await pause(PAUSE_MS);
      }
    }
    this.#journal.refused++;
    return undefined;
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
  }
}
