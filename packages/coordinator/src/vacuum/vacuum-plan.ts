import type { Tablet } from '@tessera/catalog';

/** A tablet with its number of deleted rows. */
export interface TabletState {
  readonly tablet: Tablet;
  readonly deletedRows: number;
}

export interface VacuumPolicy {
  /** Tablets of at least this size are not merged with others. */
  readonly minBytes: number;
  /** The maximum size of a merged tablet, and of the input of one job, unless a single tablet is larger. */
  readonly maxBytes: number;
  /** A tablet with a larger fraction of deleted rows is rewritten. */
  readonly deletedFraction: number;
  /** The number of tablets of a tier that are merged; 2 merges whatever can be merged. */
  readonly mergeFactor: number;
  readonly maxTabletsInJob: number;
}

/** Tablets of one partition that are replaced by fewer or smaller ones. */
export interface VacuumJob {
  readonly tablets: readonly TabletState[];
}

/** Tablets whose sizes differ by less than this factor belong to one tier. */
const TIER_FACTOR = 10;
/** Below this size, all tablets belong to one tier. */
const SMALLEST_TIER_BYTES = 65_536;

/**
 * The independent jobs for the tablets of a table. Tablets are merged with others of similar size
 * (size-tiered), so that a row is rewritten only about once per tenfold growth.
 */
export function vacuumJobs(tablets: readonly TabletState[], policy: VacuumPolicy): VacuumJob[] {
  const bad = tablets.filter((state) => isBad(state, policy));
  const partitions = Map.groupBy(bad, ({ tablet }) => JSON.stringify(tablet.partition));
  return [...partitions.values()].flatMap((members) => partitionJobs(members, policy));
}

/** Whether vacuum has a reason to rewrite the tablet. */
export const isBad = (state: TabletState, policy: VacuumPolicy): boolean =>
  isDecayed(state, policy) || state.tablet.bytes < policy.minBytes;

function partitionJobs(tablets: readonly TabletState[], policy: VacuumPolicy): VacuumJob[] {
  const jobs: VacuumJob[] = [];
  const small = tablets.filter((state) => state.tablet.bytes < policy.minBytes);
  const chosen = new Set<TabletState>();
  for (const tier of mergeableTiers(small, policy)) {
    for (const job of packed(tier, policy)) {
      // Rewriting a single tablet gains nothing.
      if (job.length < 2) continue;
      jobs.push({ tablets: job });
      for (const state of job) chosen.add(state);
    }
  }
  const decayed = tablets.filter((state) => !chosen.has(state) && isDecayed(state, policy));
  return [...jobs, ...packed(decayed, policy).map((job) => ({ tablets: job }))];
}

const isDecayed = ({ tablet, deletedRows }: TabletState, { deletedFraction }: VacuumPolicy): boolean =>
  deletedRows > 0 && deletedRows > tablet.rows * deletedFraction;

/** Sets of tablets that are large enough to be merged. With a factor of 2, tiers do not matter. */
function mergeableTiers(small: readonly TabletState[], policy: VacuumPolicy): readonly TabletState[][] {
  if (policy.mergeFactor <= 2) return [[...small]];
  const tiers = [...Map.groupBy(small, tierOf)].sort(([a], [b]) => a - b);
  const merged: TabletState[][] = [];
  // The result of merging a tier belongs to the next one; if both are full, they are merged at once.
  let carried: TabletState[] = [];
  for (const [, members] of tiers) {
    const all = [...carried, ...members];
    if (members.length >= policy.mergeFactor) {
      carried = all;
      continue;
    }
    if (carried.length > 0) merged.push(carried);
    carried = [];
  }
  if (carried.length > 0) merged.push(carried);
  return merged;
}

const tierOf = ({ tablet }: TabletState): number =>
  tablet.bytes <= SMALLEST_TIER_BYTES
    ? 0
    : Math.ceil(Math.log(tablet.bytes / SMALLEST_TIER_BYTES) / Math.log(TIER_FACTOR));

/** Divides tablets, in order, into jobs within the limits. */
function packed(
  tablets: readonly TabletState[],
  { maxBytes, maxTabletsInJob }: VacuumPolicy,
): TabletState[][] {
  const jobs: TabletState[][] = [];
  let bytes = 0;
  for (const state of tablets) {
    const live = liveBytes(state);
    const last = jobs.at(-1);
    if (last === undefined || last.length >= maxTabletsInJob || bytes + live > maxBytes) {
      jobs.push([state]);
      bytes = live;
    } else {
      last.push(state);
      bytes += live;
    }
  }
  return jobs;
}

const liveBytes = ({ tablet, deletedRows }: TabletState): number =>
  tablet.bytes * (1 - deletedRows / tablet.rows);
