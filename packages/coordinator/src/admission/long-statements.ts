import { type QueueActivity, queued } from './queued.ts';

/** Shorter statements never wait. */
const LONG_CHARACTERS = 50_000;
/** Bytes of memory that a statement takes for each character: its tokens, its tree and its plan. */
const BYTES_PER_CHARACTER = 128;

interface Waiting {
  readonly characters: number;
  start(): void;
}

/** A query that waits for its turn. */
interface Waiter {
  readonly signal: AbortSignal;
  readonly activity: QueueActivity;
}

/**
 * Limits the memory that long statements take in the node process: as many run at once as fit, the others wait in order
 * of arrival. A statement that alone takes more than there is runs alone. The kernel, too, takes memory for the text
 * and the plan, which the same limit bounds.
 */
export class LongStatements {
  readonly #mostCharacters: number;
  readonly #waiting: Waiting[] = [];
  #characters = 0;

  constructor(memoryBytes: number) {
    this.#mostCharacters = memoryBytes / BYTES_PER_CHARACTER;
  }

  /** @throws the signal's reason, if it aborts before the statement's turn */
  async inTurn<T>({ signal, activity }: Waiter, text: string, run: () => Promise<T>): Promise<T> {
    const characters = text.length;
    if (characters < LONG_CHARACTERS) return run();
    await queued(activity, () => this.#turn(characters, signal));
    try {
      return await run();
    } finally {
      this.#characters -= characters;
      this.#startWaiting();
    }
  }

  #turn(characters: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason);
        this.#startWaiting();
      };
      const waiting = {
        characters,
        start: () => {
          signal.removeEventListener('abort', abort);
          resolve();
        },
      };
      signal.addEventListener('abort', abort);
      this.#waiting.push(waiting);
      this.#startWaiting();
    });
  }

  #startWaiting(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#characters += next.characters;
      next.start();
    }
  }

  #fits({ characters }: Waiting): boolean {
    return this.#characters === 0 || this.#characters + characters <= this.#mostCharacters;
  }
}
