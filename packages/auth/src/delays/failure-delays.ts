import { isIPv4, isIPv6 } from 'node:net';
import { TesseraError } from '@tessera/common';
import { FailureCounts, type FailurePolicy } from './failure-counts.ts';
import type { Timer } from './timer.ts';

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Limits concurrent attempts for each key; further ones wait in order of arrival. Keys without attempts take no
 * memory.
 */
class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #width: number;
  readonly #maxWaiting: number;

  constructor(width: number, maxWaiting: number) {
    this.#width = width;
    this.#maxWaiting = maxWaiting;
  }

  /** @throws TesseraError TOO_MANY_LOGINS if too many attempts already wait */
  async through<T>(key: string, run: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(key) ?? { running: 0, waiting: [] };
    this.#lanes.set(key, lane);
    if (lane.running < this.#width) lane.running++;
    else if (lane.waiting.length >= this.#maxWaiting) throw TesseraError.of('TOO_MANY_LOGINS', {});
    else await new Promise<void>((resolve) => lane.waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = lane.waiting.shift();
      // The slot passes to the next one in the queue, so `running` does not change.
      if (next) next();
      else if (--lane.running === 0) this.#lanes.delete(key);
    }
  }
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The part of an address that belongs to one party: an IPv4 address, or the /64 of an IPv6 address, within
 * which a machine can choose a new address at any time.
 */
export function addressKey(address: string): string {
  const plain = MAPPED.exec(address)?.[1] ?? address;
  if (isIPv4(plain) || !isIPv6(plain)) return plain;
  const [withoutZone = ''] = plain.split('%');
  return `${firstGroups(withoutZone).join(':')}::/64`;
}

/** Returns the first four groups, without leading zeros. */
function firstGroups(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before.slice(0, 4).map(plainGroup);
  const after =
    tail === '' ? [] : tail.split(':').flatMap((group) => (group.includes('.') ? [group, group] : [group]));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 4).map(plainGroup);
}

const plainGroup = (group: string): string => Number.parseInt(group, 16).toString(16);

const POLICY = {
  firstDelayMs: 250,
  maxDelayMs: 5000,
  forgetMs: 60_000,
  maxKeys: 10_000,
} satisfies Partial<FailurePolicy>;
/**
 * The limits of concurrent and of waiting attempts from one address. A connection pool that connects at once
 * must not exceed them.
 */
const AT_ONCE = 4;
const MAX_WAITING = 256;
/** No user has a longer name; all longer names share one counter. */
const MAX_NAME_LENGTH = 256;

/**
 * Slows down guessing. After a failure, the next attempt is delayed, each time twice as long, up to five
 * seconds. Failures are counted by user and address together, by user, and by address. The delay comes before
 * the check, so that correct and wrong guesses are answered equally late.
 * Nobody is locked out. After a successful login, the user is known at that address, where neither failures
 * under the same name from other addresses nor failures of other names delay the user.
 */
export class FailureDelays {
  readonly #timer: Timer;
  readonly #closing = new AbortController();
  readonly #lanes = new Lanes(AT_ONCE, MAX_WAITING);
  readonly #together = new FailureCounts({ ...POLICY, free: 2 });
  readonly #users = new FailureCounts({ ...POLICY, free: 10 });
  readonly #addresses = new FailureCounts({ ...POLICY, free: 20 });
  /** The user and address of successful logins, the latest one last. */
  readonly #known = new Set<string>();

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  /**
   * Runs the check when it is its turn. A check that returns undefined has failed.
   * @throws TesseraError TOO_MANY_LOGINS; DRAINING after `close`; and any error of the check, which does not
   * count as a failure
   */
  async attempt<T>(
    name: string,
    address: string,
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const user = name.slice(0, MAX_NAME_LENGTH);
    const place = addressKey(address);
    const together = JSON.stringify([user, place]);
    const known = this.#known.has(together);
    return this.#lanes.through(known ? together : place, async () => {
      await this.#wait(
        known
          ? [[this.#together, together]]
          : [
              [this.#together, together],
              [this.#users, user],
              [this.#addresses, place],
            ],
      );
      const found = await check();
      const now = this.#timer.now();
      if (found === undefined) {
        this.#together.failed(together, now);
        this.#users.failed(user, now);
        this.#addresses.failed(place, now);
      } else {
        this.#together.forget(together);
        this.#remember(together);
      }
      return found;
    });
  }

  /** Ends all delays. */
  close(): void {
    this.#closing.abort();
  }

  async #wait(counts: readonly (readonly [FailureCounts, string])[]): Promise<void> {
    const now = this.#timer.now();
    const ms = Math.max(...counts.map(([failures, key]) => failures.delayMs(key, now)));
    const { signal } = this.#closing;
    if (ms > 0 && !signal.aborted) await this.#timer.sleep(ms, signal).catch(() => {});
    if (signal.aborted) throw TesseraError.of('DRAINING', {});
  }

  #remember(together: string): void {
    this.#known.delete(together);
    this.#known.add(together);
    const [oldest] = this.#known;
    if (this.#known.size > POLICY.maxKeys && oldest !== undefined) this.#known.delete(oldest);
  }
}
