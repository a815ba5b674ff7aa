import type { Snapshot } from '@tessera/catalog';
import type { KernelSession } from '@tessera/kernel';
import type { TableScan } from '@tessera/planner';
import type { ScanTablet, StorageAgent } from '@tessera/storage-agent';
import type { BoundTable } from './bound-query.ts';
import { allGranules, selectGranules } from './granule-selection.ts';
import { type ChosenAccess, chosenAccess } from './table-access.ts';
import { selectTablets, type TableSelection } from './table-selection.ts';

export interface ChoiceScope {
  readonly agent: StorageAgent;
  readonly session: KernelSession;
  readonly snapshot: Snapshot;
  /** Whether columns that are named but not needed are not fetched. */
  readonly isNarrow: boolean;
  readonly signal: AbortSignal;
}

/** What would be read of a table. */
export interface TabletChoice {
  readonly selection: TableSelection;
  readonly tablets: readonly ScanTablet[];
  readonly isHot: boolean;
  readonly access: ChosenAccess;
}

/** Chooses tablets and granules of a table; reads at most headers of tablets. */
export async function chooseTablets(
  { table, rowPositions }: BoundTable,
  wanted: TableScan | undefined,
  { agent, session, snapshot, isNarrow, signal }: ChoiceScope,
): Promise<TabletChoice> {
  const selection = selectTablets(table, wanted, snapshot, isNarrow);
  const columns = selection.columns.map(({ id }) => id);
  // A resident table has no granules and finds its rows by itself.
  const isHot =
    !rowPositions &&
    table.uncoveredBy === undefined &&
    agent.isHot(session, table.id, selection.contents.version, columns);
  const granules = isHot
    ? allGranules(selection.tablets)
    : await selectGranules(table, selection.tablets, wanted?.filters ?? [], { agent, snapshot, signal });
  return { selection, tablets: granules.tablets, isHot, access: chosenAccess(table, selection, granules) };
}
