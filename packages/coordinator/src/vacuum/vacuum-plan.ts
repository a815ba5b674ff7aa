import type { Tablet } from '@tessera/catalog';

/** A tablet and how many of its rows are deleted. */
export interface TabletState {
  readonly tablet: Tablet;
  readonly deletedRows: number;
}

export interface VacuumPolicy {
  /** Tablets from this size on are not merged with others. */
  readonly minBytes: number;
  /** What a merged tablet should not be larger than, and so what one job reads at most unless a tablet alone is larger. */
  readonly maxBytes: number;
  /** A tablet of which more than this part is deleted is written anew. */
  readonly deletedFraction: number;
  /** So many tablets of a tier are merged; 2: whatever can be merged. */
  readonly mergeFactor: number;
  readonly maxTabletsInJob: number;
}

/** Tablets of one partition to be replaced by fewer, or by smaller ones. */
export interface VacuumJob {
  readonly tablets: readonly TabletState[];
}

/** Tablets whose sizes differ by less than this factor are of one tier. */
const TIER_FACTOR = 10;
/** Below it sizes do not matter. */
const SMALLEST_TIER_BYTES = 65_536;

/**
 * What is to be done about the tablets of a table, in jobs that can be done on their own. Tablets are merged with those of
 * their size (size-tiered), so that a row is written again only about once for each tenfold growth.
 */
export function vacuumJobs(tablets: readonly TabletState[], policy: VacuumPolicy): VacuumJob[] {
  const bad = tablets.filter((state) => isBad(state, policy));
  const partitions = Map.groupBy(bad, ({ tablet }) => JSON.stringify(tablet.partition));
  return [...partitions.values()].flatMap((members) => partitionJobs(members, policy));
}

/** Whether vacuum has a reason to touch the tablet. */
export const isBad = (state: TabletState, policy: VacuumPolicy): boolean =>
  isDecayed(state, policy) || state.tablet.bytes < policy.minBytes;

function partitionJobs(tablets: readonly TabletState[], policy: VacuumPolicy): VacuumJob[] {
  const jobs: VacuumJob[] = [];
  const small = tablets.filter((state) => state.tablet.bytes < policy.minBytes);
  const chosen = new Set<TabletState>();
  for (const tier of mergeableTiers(small, policy)) {
    for (const job of packed(tier, policy)) {
      // A tablet alone gains nothing by being written again.
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

/** Sets of tablets that are many enough to be merged. With a factor of 2 tiers do not matter. */
function mergeableTiers(small: readonly TabletState[], policy: VacuumPolicy): readonly TabletState[][] {
  if (policy.mergeFactor <= 2) return [[...small]];
  const tiers = [...Map.groupBy(small, tierOf)].sort(([a], [b]) => a - b);
  const merged: TabletState[][] = [];
  // What a merge makes of a tier belongs to the next one: when both are full they are merged at once.
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

/** In their order, in jobs that are within the bounds. */
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
