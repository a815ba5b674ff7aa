import type { Pin } from './storage-manager.ts';

/** What this node holds fast: versions that statements read, and uploads under way. */
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
   * The oldest version that is or will be read here, given the newest one known: no statement to come reads an older
   * one. Likewise for uploads, given the time.
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
