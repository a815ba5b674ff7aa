import type { Pin } from './storage-manager.ts';

/** The versions that statements of this node are reading, and its running uploads. */
export class Pins {
  readonly #versions = new Map<symbol, number>();
  readonly #writes = new Map<symbol, number>();

  pinVersion(version: number): Pin {
    return hold(this.#versions, version);
  }

  pinWrite(startMs: number): Pin {
    return hold(this.#writes, startMs);
  }

  /**
   * The oldest version that is or will be read here, given the newest known one: no later statement reads an
   * older version. The same for uploads, given the time.
   */
  report(newestVersion: number, nowMs: number): { oldestVersion: number; oldestWriteMs: number } {
    return {
      oldestVersion: Math.min(newestVersion, ...this.#versions.values()),
      oldestWriteMs: Math.min(nowMs, ...this.#writes.values()),
    };
  }
}

function hold(held: Map<symbol, number>, value: number): Pin {
  const key = Symbol();
  held.set(key, value);
  return { release: () => void held.delete(key) };
}
