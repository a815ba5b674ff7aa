import type { Snapshot, TableObject } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import type { TableScan } from '@tessera/planner';
import type { ScanTablet, StorageAgent } from '@tessera/storage-agent';
import { pruneGranules } from '@tessera/tablet';
import { granuleSkipping } from './skip-indexes.ts';

/** The number of headers that are fetched concurrently; each is at most one small read of the store. */
const HEADERS_AT_ONCE = 32;

export interface GranuleSelection {
  /** The tablets with granules that may contain rows. */
  readonly tablets: readonly ScanTablet[];
  readonly granulesPruned: number;
  /** The skip indexes that were asked, each with the number of granules that it pruned, which `granulesPruned` includes. */
  readonly skipped: readonly SkippedGranules[];
}

interface SkippedGranules {
  readonly index: string;
  readonly granules: number;
}

/** All granules of the tablets. */
export const allGranules = (tablets: readonly ScanTablet[]): GranuleSelection => ({
  tablets,
  granulesPruned: 0,
  skipped: [],
});

export interface GranuleScope {
  readonly agent: StorageAgent;
  readonly snapshot: Snapshot;
  readonly signal: AbortSignal;
}

/** Reads the headers of tablets, and filters of skip indexes, to find the granules that a statement needs. */
export async function selectGranules(
  table: TableObject,
  tablets: readonly ScanTablet[],
  filters: TableScan['filters'],
  scope: GranuleScope,
): Promise<GranuleSelection> {
  if (filters.length === 0 || filters.some((conjuncts) => conjuncts.length === 0))
    return allGranules(tablets);
  const chosen = await byHeaders(table, tablets, filters, scope);
  return byFilters(table, chosen, filters, scope);
}

async function byHeaders(
  table: TableObject,
  tablets: readonly ScanTablet[],
  filters: TableScan['filters'],
  { agent, signal }: GranuleScope,
): Promise<GranuleSelection> {
  const chosen = new Array<ScanTablet | undefined>(tablets.length);
  let granulesPruned = 0;
  const entries = tablets.entries();
  const choose = async () => {
    for (const [i, scan] of entries) {
      const { tablet } = scan;
      chosen[i] = scan;
      if (tablet.granules < 2) continue;
      const granules = pruneGranules(table, await agent.header(table, tablet, signal), filters);
      granulesPruned += tablet.granules - granules.length;
      chosen[i] = withGranules(scan, granules);
    }
  };
  await Promise.all(Array.from({ length: Math.min(HEADERS_AT_ONCE, tablets.length) }, choose));
  return { tablets: chosen.filter((scan) => scan !== undefined), granulesPruned, skipped: [] };
}

/** The scan of some granules of the tablet; undefined if there are none. */
function withGranules(scan: ScanTablet, granules: readonly number[]): ScanTablet | undefined {
  if (granules.length === 0) return undefined;
  return granules.length < scan.tablet.granules ? { ...scan, granules } : scan;
}

async function byFilters(
  table: TableObject,
  before: GranuleSelection,
  filters: TableScan['filters'],
  { agent, snapshot, signal }: GranuleScope,
): Promise<GranuleSelection> {
  let { tablets, granulesPruned } = before;
  const skipped: SkippedGranules[] = [];
  for (const { index, needed } of granuleSkipping(agent, snapshot, table, filters)) {
    const granules = new Map(tablets.map((scan) => [scan.tablet.id, granulesOf(scan)]));
    const kept = await needed(granules, signal).catch((error: unknown): typeof granules => {
      // Without its filters, which are only an aid, the rows are read.
      signal.throwIfAborted();
      if (!(error instanceof TesseraError)) throw error;
      return new Map();
    });
    const pruned = [...kept].reduce((n, [id, rest]) => n + granules.get(id)!.length - rest.length, 0);
    skipped.push({ index, granules: pruned });
    granulesPruned += pruned;
    tablets = tablets.flatMap((scan) => {
      const rest = kept.get(scan.tablet.id);
      return rest === undefined ? [scan] : (withGranules(scan, rest) ?? []);
    });
  }
  return { tablets, granulesPruned, skipped };
}

const granulesOf = ({ tablet, granules }: ScanTablet): readonly number[] =>
  granules ?? Array.from({ length: tablet.granules }, (_, i) => i);
