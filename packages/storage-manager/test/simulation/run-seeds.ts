import type { Scenario } from './scenario.ts';
import { World } from './world.ts';

/** The summary of the runs of one scenario. */
export interface Tally {
  acknowledged: number;
  versions: number;
  epochs: number;
  reads: number;
  refusals: number;
  collections: number;
  deletedTablets: number;
  strayEntries: number;
  crashes: number;
  crashesAsked: number;
}

/**
 * Runs the scenario once per seed. A failure names its seed; `TESSERA_SIMULATION=<name>:<seed>` runs only
 * that one.
 * @throws Violation
 */
export function runSeeds(
  name: string,
  scenario: Scenario,
  seeds: number,
  more: { before?: (world: World) => void; after?: (world: World) => void } = {},
): Tally {
  const tally: Tally = {
    acknowledged: 0,
    versions: 0,
    epochs: 0,
    reads: 0,
    refusals: 0,
    collections: 0,
    deletedTablets: 0,
    strayEntries: 0,
    crashes: 0,
    crashesAsked: 0,
  };
  for (const seed of seedsOf(name, seeds)) {
    const world = new World(scenario, seed);
    try {
      more.before?.(world);
      world.run();
      more.after?.(world);
    } catch (error) {
      const told = error as Error;
      told.message = `${told.message}\n(again: TESSERA_SIMULATION='${name}:${seed}')`;
      throw error;
    }
    add(tally, world);
  }
  return tally;
}

/** The first seed that finds a violation; undefined if none does. */
export function firstViolation(
  scenario: Scenario,
  seeds: number,
): { readonly seed: number; readonly message: string } | undefined {
  for (let seed = 1; seed <= seeds; seed++) {
    try {
      new World(scenario, seed).run();
    } catch (error) {
      return { seed, message: (error as Error).message };
    }
  }
  return undefined;
}

function seedsOf(name: string, count: number): readonly number[] {
  const again = process.env['TESSERA_SIMULATION'];
  if (again !== undefined) {
    const at = again.lastIndexOf(':');
    return again.slice(0, at) === name ? [Number(again.slice(at + 1))] : [];
  }
  const factor = Number(process.env['TESSERA_SIMULATION_FACTOR'] ?? 1);
  return Array.from({ length: Math.ceil(count * factor) }, (_, i) => i + 1);
}

function add(tally: Tally, { auditor, ...world }: World): void {
  tally.acknowledged += auditor.acknowledgements;
  tally.versions += auditor.head.version;
  tally.epochs += auditor.head.epoch;
  tally.deletedTablets += auditor.deletedTablets;
  tally.strayEntries += auditor.strayEntries;
  tally.reads += world.reads;
  tally.refusals += world.refusals;
  tally.collections += world.collections;
  tally.crashes += world.crashes;
  tally.crashesAsked += world.crashesAsked;
}
