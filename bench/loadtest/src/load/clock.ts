import { pause } from '@tessera/common';

/** The time that loads go by, in milliseconds from an instant of its own. */
export interface Clock {
  now(): number;
  /** Resolves at that time or later; at once when it has passed. */
  until(time: number): Promise<void>;
}

export const realClock: Clock = {
  now: () => performance.now(),
  // A timer may end a little before its time.
  until: async (time) => {
    for (let left = time - performance.now(); left > 0; left = time - performance.now()) await pause(left);
  },
};
