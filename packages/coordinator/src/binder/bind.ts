import { TesseraError, traced } from '@tessera/common';
import { PLAN_SQL, type TableScan, tableScans } from '@tessera/planner';
import { type PreparedQuery, prepareQuery } from '@tessera/sql';
import type { BoundFiles, BoundQuery, BoundTable } from '../read/bound-query.ts';
import type { SessionScope } from '../read/session-scope.ts';
import type { StatementRelations } from '../read/statement-relations.ts';

const NO_TABLES: ReadonlyMap<string, BoundTable> = new Map();
const NO_FILES: ReadonlyMap<string, BoundFiles> = new Map();
const NO_SCANS: ReadonlyMap<string, TableScan> = new Map();

/**
 * Binds the text of a scope: resolves its names and types, and if `isToPlan` says so, determines from the
 * kernel's plan which part of each table it reads. No row is read, except those of columns of regular expressions, and nothing is
 * remembered. The binder's session stays open.
 * @throws TesseraError if the text is invalid
 */
export async function bind(
  scope: SessionScope,
  isToPlan: (bound: BoundQuery) => boolean | Promise<boolean>,
): Promise<BoundQuery> {
  const prepared = await traced('parse', {}, () => prepareQuery(scope.context.text, scope.prepareContext));
  const { named = [], files = NO_FILES, indexes = [], patterns = [] } = scope.relations ?? {};
  const tables = tablesRead(scope.relations?.tables ?? NO_TABLES, prepared);
  const bound = { prepared, named, tables, files, indexes, patterns, looksAtAllNamed: false, uses: 0 };
  if (tables.size === 0 && files.size === 0) return { ...bound, scans: NO_SCANS, isPlanned: true };
  const unplanned = { ...bound, scans: undefined, isPlanned: false };
  if (!(await isToPlan(unplanned))) return unplanned;
  const planned = await traced('plan', {}, () => plannedScans(prepared, scope.relations!));
  return { ...bound, ...planned, isPlanned: true };
}

/** A table that is only read by way of an aggregating index is not read itself. */
const tablesRead = (
  tables: ReadonlyMap<string, BoundTable>,
  { indexes, tables: read }: PreparedQuery,
): ReadonlyMap<string, BoundTable> =>
  indexes.some(({ reason }) => reason === undefined)
    ? new Map([...tables].filter(([name]) => read.has(name)))
    : tables;

/** No scans if the plan is not understood: then everything is read. */
async function plannedScans(
  { boundSql, time }: PreparedQuery,
  relations: StatementRelations,
): Promise<Pick<BoundQuery, 'scans' | 'serializedPlan'>> {
  const binder = await relations.binder();
  try {
    const serializedPlan = String(await binder.scalar(PLAN_SQL, [boundSql ?? '']));
    const scans = await tableScans(serializedPlan);
    // The clock of the planning kernel may differ from that of the running kernel.
    const timeless = time === 'free' ? scans.map((scan) => ({ ...scan, filters: [[]] })) : scans;
    return {
      scans: new Map(timeless.map((scan) => [scan.relation, scan])),
      serializedPlan: time === 'free' ? undefined : serializedPlan,
    };
  } catch (error) {
    if (error instanceof TesseraError && error.name === 'KERNEL_LOST') throw error;
    return { scans: undefined };
  }
}
