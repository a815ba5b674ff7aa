import type { TableObject } from '@tessera/catalog';
import type { TableScan } from '@tessera/planner';
import type { ScanTablet, StorageAgent } from '@tessera/storage-agent';
import { pruneGranules } from '@tessera/tablet';

/** The number of headers that are fetched concurrently; each is at most one small read of the store. */
const HEADERS_AT_ONCE = 32;

export interface GranuleSelection {
  /** The tablets with granules that may contain rows. */
  readonly tablets: readonly ScanTablet[];
  readonly granulesPruned: number;
}

/** Reads the headers of tablets to find the granules that a statement needs. */
export async function selectGranules(
  agent: StorageAgent,
  table: TableObject,
  tablets: readonly ScanTablet[],
  filters: TableScan['filters'],
  signal: AbortSignal,
): Promise<GranuleSelection> {
  if (filters.length === 0 || filters.some((conjuncts) => conjuncts.length === 0))
    return { tablets, granulesPruned: 0 };
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
      if (granules.length === 0) chosen[i] = undefined;
      else if (granules.length < tablet.granules) chosen[i] = { ...scan, granules };
    }
  };
  await Promise.all(Array.from({ length: Math.min(HEADERS_AT_ONCE, tablets.length) }, choose));
  return { tablets: chosen.filter((scan) => scan !== undefined), granulesPruned };
}
