import type { Column, ObjectId, Snapshot, TableIndex, TableObject, Tablet, TabletId } from '@tessera/catalog';
import type { TableScan } from '@tessera/planner';
import type { FilterRequest, StorageAgent, StoredFilter } from '@tessera/storage-agent';
import {
  decidedConditions,
  type FilterKinds,
  GRANULE_COLUMN,
  granuleTest,
  HASHES_COLUMN,
  hashedConstants,
} from '@tessera/tablet';
import { partialColumns, partialsTable, type StoredIndex, storedIndexes } from './index-coverage.ts';

/** A skip index that stores filters. */
export type FilterIndex = StoredIndex & Required<Pick<TableIndex, 'filter'>>;

export const isFilterIndex = (index: StoredIndex): index is FilterIndex => index.filter !== undefined;

/** The column of a table that an expression of a skip index names; undefined if it is no column. */
export function columnOfExpression(
  { columns }: Pick<TableObject, 'columns'>,
  expression: string,
): Column | undefined {
  const quoted = /^"(.*)"$/s.exec(expression)?.[1]?.replaceAll('""', '"');
  const name = quoted ?? expression.toLowerCase();
  return columns.find((column) => column.name === name);
}

/** The columns in which a skip index on the given columns stores its filters. */
export function storedFilterColumns(
  { kind }: FilterIndex['filter'],
  columns: readonly Column[],
): readonly Column[] {
  const type = kind === 'set' ? 'VARCHAR' : 'BLOB';
  return partialColumns([
    { column: GRANULE_COLUMN, type: 'INTEGER' },
    { column: HASHES_COLUMN, type: 'UBIGINT' },
    ...columns.map((_, i) => ({ column: filterName(i), type })),
  ]);
}

const filterName = (position: number): string => `filter_${position + 1}`;

/** The columns of a table that a skip index has filters of. */
export function filteredColumns(
  table: Pick<TableObject, 'columns'>,
  { expressions, filter }: FilterIndex,
): readonly (StoredFilter & { readonly of: Column })[] {
  return expressions.flatMap((expression, i) => {
    const of = columnOfExpression(table, expression);
    if (of === undefined) return [];
    return [{ of, column: of.name, type: of.type, kind: filter.kind, name: filterName(i) }];
  });
}

/** Decides which granules of tablets a statement needs, by the filters of one index. */
export interface GranuleSkipping {
  readonly index: string;
  /**
   * The granules that may have rows, of those that are given by tablet; tablets without filters are left out.
   * @throws TesseraError as `StorageAgent.filters`
   */
  needed(
    granules: ReadonlyMap<TabletId, readonly number[]>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<TabletId, readonly number[]>>;
}

/** The skip indexes that may exclude granules of a table, for the conditions of a statement. */
export function granuleSkipping(
  agent: StorageAgent,
  snapshot: Snapshot,
  table: TableObject,
  filters: TableScan['filters'],
): readonly GranuleSkipping[] {
  return storedIndexes(table)
    .filter(isFilterIndex)
    .flatMap((index): readonly GranuleSkipping[] => {
      const stored = filteredColumns(table, index);
      const kinds: FilterKinds = new Map(stored.map(({ column, kind }) => [column, kind]));
      const decided = decidedConditions(filters, kinds);
      if (decided.length === 0) return [];
      const asked = new Set(decided.map(({ column }) => column));
      const columns = stored.filter(({ column }) => asked.has(column));
      const constants = hashedConstants(decided, kinds);
      return [
        {
          index: index.name,
          needed: async (granules, signal) => {
            const filtersOf = filterTablets(snapshot, index.partials.id);
            const tablets = [...granules.keys()].flatMap((id) => filtersOf.get(id) ?? []);
            if (tablets.length === 0) return new Map();
            const hashes = await hashesOf(agent, columns, constants);
            const mayHave = granuleTest(table, filters, hashes);
            const request: FilterRequest = { table: partialsTable(table, index), tablets, columns, signal };
            const needed = new Map<TabletId, readonly number[]>();
            for await (const { tablet, of } of agent.filters(request)) {
              const { tabletId } = tablet.partialOf!;
              needed.set(
                tabletId,
                granules.get(tabletId)!.filter((granule) => mayHave(of(granule))),
              );
            }
            return needed;
          },
        },
      ];
    });
}

async function hashesOf(
  agent: StorageAgent,
  columns: readonly StoredFilter[],
  constants: ReadonlyMap<string, readonly string[]>,
) {
  const hashes = new Map<string, ReadonlyMap<string, bigint>>();
  for (const { column, type } of columns) {
    const texts = constants.get(column) ?? [];
    if (texts.length > 0) hashes.set(column, await agent.hashes(type, texts));
  }
  return hashes;
}

/** The tablets of an index by the tablets that they are about, keyed by the snapshot's list of them. */
const known = new WeakMap<readonly Tablet[], ReadonlyMap<TabletId, Tablet>>();

function filterTablets(snapshot: Snapshot, partials: ObjectId): ReadonlyMap<TabletId, Tablet> {
  const list = snapshot.tablets(partials);
  const found = known.get(list) ?? new Map(list.map((tablet) => [tablet.partialOf!.tabletId, tablet]));
  known.set(list, found);
  return found;
}
