import { TesseraError } from '@tessera/common';

/** The identity of a session that holds locks. */
export type LockOwner = object;

export type LockMode = 'exclusive' | 'shared';

interface Waiter {
  readonly owner: LockOwner;
  readonly mode: LockMode;
  grant(): void;
}

interface Lock {
  /** The number of times that each owner holds the lock, by mode. */
  readonly holders: Map<LockOwner, Record<LockMode, number>>;
  /** The waiting owners, served in order of arrival. */
  readonly waiters: Waiter[];
}

/**
 * The advisory locks of the sessions of one node. An owner may acquire a lock repeatedly and must release it
 * as often.
 */
export class AdvisoryLocks {
  readonly #locks = new Map<string, Lock>();
  /** The lock that each waiting owner waits for. */
  readonly #waitsFor = new Map<LockOwner, string>();

  /**
   * Waits until the owner has the lock.
   * @throws TesseraError DEADLOCK if the wait could never end; the reason of `signal`
   */
  async acquire(owner: LockOwner, key: string, mode: LockMode, signal: AbortSignal): Promise<void> {
    if (this.tryAcquire(owner, key, mode)) return;
    if (this.#holderWaitsFor(key, owner)) throw TesseraError.of('DEADLOCK', { lock: key });
    const lock = this.#lock(key);
    this.#waitsFor.set(owner, key);
    try {
      await new Promise<void>((resolve, reject) => {
        const waiter: Waiter = { owner, mode, grant: resolve };
        lock.waiters.push(waiter);
        const onAbort = () => {
          lock.waiters.splice(lock.waiters.indexOf(waiter), 1);
          this.#wake(key);
          reject(signal.reason);
        };
        if (signal.aborted) onAbort();
        else signal.addEventListener('abort', onAbort, { once: true });
      });
    } finally {
      this.#waitsFor.delete(owner);
    }
  }

  tryAcquire(owner: LockOwner, key: string, mode: LockMode): boolean {
    const lock = this.#lock(key);
    const isFree = isCompatible(lock, owner, mode) && (lock.waiters.length === 0 || lock.holders.has(owner));
    if (isFree) hold(lock, owner, mode);
    return isFree;
  }

  /** Returns false if the owner does not hold the lock. */
  release(owner: LockOwner, key: string, mode: LockMode): boolean {
    const held = this.#locks.get(key)?.holders.get(owner);
    if (held === undefined || held[mode] === 0) return false;
    held[mode] -= 1;
    if (held.exclusive + held.shared === 0) this.#locks.get(key)!.holders.delete(owner);
    this.#wake(key);
    return true;
  }

  /** @param kept the locks that the owner keeps, each listed as often as it is kept */
  releaseAll(
    owner: LockOwner,
    kept: readonly { readonly key: string; readonly mode: LockMode }[] = [],
  ): void {
    for (const [key, lock] of this.#locks) {
      if (!lock.holders.delete(owner)) continue;
      for (const { mode } of kept.filter((one) => one.key === key)) hold(lock, owner, mode);
      this.#wake(key);
    }
  }

  #lock(key: string): Lock {
    const known = this.#locks.get(key);
    if (known !== undefined) return known;
    const lock: Lock = { holders: new Map(), waiters: [] };
    this.#locks.set(key, lock);
    return lock;
  }

  #wake(key: string): void {
    const lock = this.#lock(key);
    for (;;) {
      const next = lock.waiters[0];
      if (next === undefined || !isCompatible(lock, next.owner, next.mode)) break;
      lock.waiters.shift();
      hold(lock, next.owner, next.mode);
      next.grant();
    }
    if (lock.holders.size === 0 && lock.waiters.length === 0) this.#locks.delete(key);
  }

  /**
   * Whether an owner ahead of `owner` at this lock waits, directly or through others, for a lock that `owner`
   * holds.
   */
  #holderWaitsFor(key: string, owner: LockOwner, seen = new Set<string>()): boolean {
    if (seen.has(key)) return false;
    seen.add(key);
    const { holders, waiters } = this.#lock(key);
    const before = [...holders.keys(), ...waiters.map((waiter) => waiter.owner)];
    return before.some((other) => {
      const next = this.#waitsFor.get(other);
      if (next === undefined || other === owner) return false;
      return this.#lock(next).holders.has(owner) || this.#holderWaitsFor(next, owner, seen);
    });
  }
}

function isCompatible({ holders }: Lock, owner: LockOwner, mode: LockMode): boolean {
  return [...holders].every(
    ([other, held]) => other === owner || (mode === 'shared' && held.exclusive === 0),
  );
}

function hold({ holders }: Lock, owner: LockOwner, mode: LockMode): void {
  const held = holders.get(owner) ?? { exclusive: 0, shared: 0 };
  held[mode] += 1;
  holders.set(owner, held);
}
