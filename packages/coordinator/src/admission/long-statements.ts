import { setFlagsFromString } from 'node:v8';
import { type QueueActivity, queued } from './queued.ts';

/** Shorter statements never wait. */
const LONG_CHARACTERS = 50_000;
/** The memory per character of an INSERT: tokens, and the text for the kernel. The rows are bound in parts. */
const BYTES_OF_INSERT = 128;
/** The memory per character of any other statement: its whole tree is in memory, in up to three forms. */
const BYTES_OF_TREE = 900;
/** A tree takes no more, because the number of tokens is limited; long texts take a few bytes for each character. */
const MOST_BYTES = { tree: 96 << 20, perCharacter: 16 };

/** Bytes of memory of the node process that a statement takes. */
function bytesOf(text: string): number {
  if (/^\s*insert\b/i.test(text)) return text.length * BYTES_OF_INSERT;
  return Math.min(text.length * BYTES_OF_TREE, MOST_BYTES.tree + text.length * MOST_BYTES.perCharacter);
}

/**
 * While long statements run, the heap is collected when it has grown by this much. Otherwise V8 lets it grow to several times
 * what is alive, and the kernel would get less memory.
 */
const GROWTH_PERCENT = 30;

interface Waiting {
  readonly bytes: number;
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
  readonly #mostBytes: number;
  readonly #waiting: Waiting[] = [];
  #bytes = 0;
  #growth = 0;

  constructor(memoryBytes: number) {
    this.#mostBytes = memoryBytes;
  }

  /** @throws the signal's reason, if it aborts before the statement's turn */
  async inTurn<T>({ signal, activity }: Waiter, text: string, run: () => Promise<T>): Promise<T> {
    if (text.length < LONG_CHARACTERS) return run();
    const bytes = bytesOf(text);
    await queued(activity, () => this.#turn(bytes, signal));
    try {
      return await run();
    } finally {
      this.#bytes -= bytes;
      this.#startWaiting();
    }
  }

  #turn(bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason);
        this.#startWaiting();
      };
      const waiting = {
        bytes,
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
      this.#bytes += next.bytes;
      next.start();
    }
    const growth = this.#bytes > 0 ? GROWTH_PERCENT : 0;
    if (growth !== this.#growth) setFlagsFromString(`--heap-growing-percent=${growth}`);
    this.#growth = growth;
  }

  #fits({ bytes }: Waiting): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#mostBytes;
  }
}
