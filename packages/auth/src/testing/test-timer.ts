import type { Timer } from '../delays/timer.ts';

/** A clock that advances only during sleeps, which return at once. */
export class TestTimer implements Timer {
  /** The durations of all sleeps, in order. */
  readonly sleeps: number[] = [];
  nowMs: number;

  constructor(nowMs = 1_800_000_000_000) {
    this.nowMs = nowMs;
  }

  now(): number {
    return this.nowMs;
  }

  async sleep(ms: number): Promise<void> {
    this.sleeps.push(ms);
    this.nowMs += ms;
  }
}
