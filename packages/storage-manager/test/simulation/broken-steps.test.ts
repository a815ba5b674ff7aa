import { describe, expect, it } from 'vitest';
import { BROKEN_STEPS } from './broken-steps.ts';
import { firstViolation } from './run-seeds.ts';
import { READERS, REPEATERS, SLEEPERS, STORM, TAKEOVERS, UPLOADS } from './scenarios.ts';

/** A simulation that cannot find a fault proves nothing, so nodes that omit one rule must be caught. */
const CAUGHT_BY = [
  ['goes on to the next slot after no answer', STORM, 40],
  ['makes a new entry for the same slot after no answer', STORM, 60],
  ['takes a full slot for a failure without reading whose entry it is', STORM, 20],
  ['answers before the put is known', STORM, 40],
  ['answers when it sends the put', STORM, 10],
  ['does not look at the epoch of the entry in its slot', SLEEPERS, 100],
  ['does not look at the boundary', SLEEPERS, 100],
  ['deletes the log before it moves the boundary', STORM, 40],
  ['deletes objects before the log says so', UPLOADS, 300],
  ['does not heed pins', READERS, 60],
  ['refuses without knowing that it still leads', REPEATERS, 400],
  ['reads without knowing that it still leads', SLEEPERS, 100],
  ['collects at once after it began to lead', TAKEOVERS, 60],
] as const;

describe('a node is caught that', () => {
  it.each(CAUGHT_BY)(
    '%s',
    (name, scenario, seeds) => {
      const step = BROKEN_STEPS[name];
      expect(step).toBeDefined();
      expect(firstViolation({ ...scenario, step: step! }, seeds)).toBeDefined();
    },
    60_000,
  );

  it('is one of those', () => {
    expect(CAUGHT_BY.map(([name]) => name).toSorted()).toEqual(Object.keys(BROKEN_STEPS).toSorted());
  });
});
