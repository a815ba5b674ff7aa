import { describe, expect, it } from 'vitest';
import { runSeeds } from './run-seeds.ts';
import { CALM, READERS, REPEATERS, SLEEPERS, STORM, TAKEOVERS, UPDATES, UPLOADS } from './scenarios.ts';
import { World } from './world.ts';

/**
 * Whole clusters in virtual time, each determined by one seed. Acknowledged commits are neither lost nor
 * duplicated, no request gets two different answers, the log never forks, no live object is deleted, a
 * recovering node reaches the state of the log, and commits succeed again after the last fault.
 * `TESSERA_SIMULATION_FACTOR=20` runs twenty times as many seeds.
 */
const SEEDS = 200;

describe('simulated clusters', () => {
  it('keep all guarantees without faults', () => {
    const tally = runSeeds('calm', CALM, 10);
    expect(tally.crashes).toBe(0);
    expect(tally.acknowledged).toBeGreaterThan(300);
  });

  it.each([
    ['storm', STORM],
    ['readers', READERS],
    ['sleepers', SLEEPERS],
    ['uploads', UPLOADS],
    ['repeaters', REPEATERS],
    ['takeovers', TAKEOVERS],
  ] as const)(
    'keep all guarantees: %s',
    (name, scenario) => {
      const tally = runSeeds(name, scenario, SEEDS);
      if (process.env['TESSERA_SIMULATION'] !== undefined) return;
      expect(tally.acknowledged).toBeGreaterThan(SEEDS * 10);
      expect(tally.reads).toBeGreaterThan(SEEDS * 10);
      expect(tally.refusals).toBeGreaterThan(SEEDS / 2);
      expect(tally.epochs).toBeGreaterThan(SEEDS);
      expect(tally.collections).toBeGreaterThan(SEEDS / 20);
      expect(tally.deletedTablets).toBeGreaterThan(SEEDS / 20);
    },
    120_000,
  );
});

describe('a leader that is told to stop', () => {
  it('hands over at once, long before its lease of 3 s ends', () => {
    const handovers: number[] = [];
    for (let seed = 1; seed <= 15; seed++) {
      const world = new World(UPDATES, seed);
      world.run();
      handovers.push(...world.handovers);
    }
    handovers.sort((a, b) => a - b);
    expect(handovers.length).toBeGreaterThan(15);
    expect(handovers[handovers.length >> 1]).toBeLessThan(400);
    // The named node may be stopped itself; others then wait for a third of the lease.
    expect(handovers[Math.floor(handovers.length * 0.9)]).toBeLessThan(2_000);
  });
});
