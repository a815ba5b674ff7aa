import { pause } from '@tessera/common';

/** The clock of loads, in milliseconds from an arbitrary instant. */
export interface Clock {
  now(): number;
  /** Resolves at that time or later; immediately if it has passed. */
  until(time: number): Promise<void>;
}

export const realClock: Clock = {
  now: () => performance.now(),
  // A timer may end slightly early.
  until: async (time) => {
    for (let left = time - performance.now(); left > 0; left = time - performance.now()) await pause(left);
  },
};
