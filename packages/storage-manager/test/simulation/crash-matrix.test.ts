import { describe, expect, it } from 'vitest';
import { BOUNDARY_KEY, LOG_PREFIX } from '../../src/log-node/log-keys.ts';
import { runSeeds } from './run-seeds.ts';
import type { Moment, Scenario } from './scenario.ts';
import { CALM, READERS, STORM } from './scenarios.ts';
import type { World } from './world.ts';

/** Every row of the crash matrix in docs/metadata-log.md. */
const SEEDS = 20;

/** No other faults occur, but leaders change and garbage is collected. */
const BUSY: Scenario = {
  ...CALM,
  durationMs: 8_000,
  collect: 0.1,
  options: { ...STORM.options, logRetentionMs: 200 },
  crashes: 4,
};

const isAppend = ({ request }: Moment) =>
  request.kind === 'put_if_absent' && request.key.startsWith(LOG_PREFIX);
const isBoundaryMove = ({ request }: Moment) =>
  (request.kind === 'put_if_absent' || request.kind === 'put_if_match') && request.key === BOUNDARY_KEY;
const deletes =
  (prefix: string) =>
  ({ request }: Moment) =>
    request.kind === 'delete' && request.keys.some((key) => key.startsWith(prefix));

function crashes(name: string, crashWhen: (moment: Moment) => boolean, scenario = BUSY) {
  let count = 0;
  // The crash does not always happen at the first occasion, so that later ones are covered too.
  const sometimes = (moment: Moment) => crashWhen(moment) && ++count % 3 === 0;
  return runSeeds(name, { ...scenario, crashWhen: sometimes }, SEEDS);
}

describe('a crash', () => {
  it.each([
    ['before the entry is sent', 'sending'],
    ['after the entry is sent, before the answer', 'applied'],
    ['after the answer, before the reply', 'answering'],
    ['after the reply, before anything that follows it', 'answered'],
  ] as const)('%s', (name, at) => {
    const tally = crashes(name, (moment) => moment.at === at && isAppend(moment));
    expect(tally.crashesAsked).toBeGreaterThan(SEEDS);
    expect(tally.acknowledged).toBeGreaterThan(SEEDS * 5);
  });

  it.each([
    ['between moving the boundary and the deletion: not moved', 'sending', isBoundaryMove],
    ['between moving the boundary and the deletion: moved', 'applied', isBoundaryMove],
    ['between moving the boundary and the deletion: nothing deleted', 'sending', deletes(LOG_PREFIX)],
    ['between moving the boundary and the deletion: deleted', 'applied', deletes(LOG_PREFIX)],
  ] as const)('%s', (name, at, concerns) => {
    expect(crashes(name, (moment) => moment.at === at && concerns(moment)).crashesAsked).toBeGreaterThan(0);
  });

  it.each([
    ['between intent and done: nothing deleted', 'sending'],
    ['between intent and done: deleted', 'applied'],
    ['between intent and done: answer known', 'answered'],
  ] as const)('%s', (name, at) => {
    const scenario = { ...READERS, staleListing: 0, crashes: 2 };
    const tally = crashes(name, (moment) => moment.at === at && deletes('tablets/')(moment), scenario);
    expect(tally.crashesAsked).toBeGreaterThan(0);
    expect(tally.deletedTablets).toBeGreaterThan(0);
  });

  it('while a checkpoint is uploaded', () => {
    const tally = runSeeds('torn checkpoint', { ...BUSY, tornCheckpoint: 0.5, clockJump: 0.3 }, SEEDS);
    expect(tally.crashes).toBeGreaterThan(SEEDS / 2);
  });

  it.each([
    ['before any upload', 1],
    ['after uploads, before the commit', 6_000],
  ])('crashed coordinators %s: their uploads are collected', (name, longestWriteMs) => {
    const scenario = { ...BUSY, crash: 0.15, longestWriteMs, collect: 0 };
    const tally = runSeeds(name, scenario, SEEDS, { after: (world) => world.expectNoOrphans() });
    expect(tally.crashes).toBeGreaterThan(SEEDS / 2);
    expect(tally.deletedTablets).toBeGreaterThan(0);
  });
});

describe('a leader that sleeps for ten minutes', () => {
  const asleep: Scenario = { ...BUSY, durationMs: 640_000, clients: 2, longestThinkMs: 20_000 };
  const leaderSleeps = (world: World) =>
    world.clockwork.after(5_000, () => world.nodes.find(({ leads }) => leads)?.pause(600_000));

  it('is fenced off by a full slot', () => {
    const scenario = { ...asleep, options: { ...STORM.options, checkpointEntries: 1_000_000 } };
    const tally = runSeeds('asleep', scenario, 10, { before: leaderSleeps });
    expect(tally.epochs).toBeGreaterThan(10);
    expect(tally.acknowledged).toBeGreaterThan(100);
  });

  it('is fenced off by the boundary when its slot was deleted', () => {
    const tally = runSeeds('asleep, log deleted', asleep, 10, { before: leaderSleeps });
    expect(tally.epochs).toBeGreaterThan(10);
  });
});

describe('the log', () => {
  it('has one winner when all nodes try to lead at once', () => {
    const scenario: Scenario = { ...BUSY, nodes: 5, options: { ...BUSY.options, preferred: true } };
    const tally = runSeeds('candidates', scenario, SEEDS);
    expect(tally.epochs).toBeGreaterThanOrEqual(SEEDS);
  });

  it('survives clocks that jump by days', () => {
    const scenario = { ...READERS, clockJump: 0.5, longestJumpMs: 100 * 3_600_000 };
    const tally = runSeeds('clocks', scenario, SEEDS);
    expect(tally.acknowledged).toBeGreaterThan(SEEDS * 5);
  });

  it('is recovered even if listings are stale or truncated', () => {
    const scenario = { ...BUSY, staleListing: 1, crash: 0.2 };
    const tally = runSeeds('listings', scenario, SEEDS);
    expect(tally.crashes).toBeGreaterThan(SEEDS / 2);
  });
});
