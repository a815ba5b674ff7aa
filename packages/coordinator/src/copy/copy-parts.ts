import type { Snapshot, TableObject } from '@tessera/catalog';
import { type KernelColumn, type KernelSession, quoteName } from '@tessera/kernel';
import type { CopyFromStatement } from '@tessera/sql';
import type { Change, ChangeContext } from '../changes/change.ts';
import { storageOf, storeQuery } from '../changes/store-query.ts';
import { rewrittenTemplate } from '../distribution/written-by-nodes.ts';
import { plus } from '../queries/scan-totals.ts';
import { distributedQuery } from '../queries/statement-context.ts';
import { fileColumns } from '../read/bound-query.ts';
import { type CopiedColumn, storedValue } from './copy-columns.ts';
import type { CopyFiles } from './copy-files.ts';
import { isOn } from './text-options.ts';

interface Copy {
  readonly session: KernelSession;
  readonly snapshot: Snapshot;
  readonly table: TableObject;
  readonly statement: CopyFromStatement;
  readonly source: CopyFiles;
  /** The columns of the files. */
  readonly columns: readonly KernelColumn[];
  readonly copied: readonly CopiedColumn[];
}

/**
 * Lets each node read parts of the files and store their rows; undefined if this node must copy the files.
 */
export async function copyParts(context: ChangeContext, copy: Copy): Promise<Change | undefined> {
  const { session, snapshot, table, statement, source, columns, copied } = copy;
  const names = columns.map(({ name }) => name);
  const { inParts } = source;
  if (inParts === undefined) return undefined;
  if (!copied.every(({ fallback }) => isConstant(fallback))) return undefined;
  const { run } = context;
  const items = copied.map((column) => storedValue(column, table));
  const skipsBlank = isOn(statement.options.skip_blank_lines, false);
  const needed = names.filter((name) => skipsBlank || items.some((item) => item.includes(quoteName(name))));
  const toStore = { table, rows: (sql: string) => sql };
  const storage = await storageOf(context, toStore, session);
  const sql = rewrittenTemplate([0], (files) => {
    const rows = skipsBlank ? withoutBlankRows(files, names) : files;
    return storage.rows(`SELECT ${items.join(', ')} FROM ${rows} AS source`);
  });
  const stored = await run.binder.distribution.storeFiles(
    { scan: inParts, columns: fileColumns(columns) },
    { sql, columns: needed, storage },
    {
      session,
      snapshot,
      settings: run.request.settings,
      signal: run.query.signal,
      ...distributedQuery(run.query),
    },
  );
  if (stored === undefined) return undefined;
  try {
    const executable = { session, sql: stored.sql, params: [], isStored: true };
    const { actions, rows } = await storeQuery(context, executable, toStore, run.query.signal);
    const { activity } = run.query;
    const read = stored.readInParts;
    activity.scanned = plus(activity.scanned, { ...read, rows: Math.max(read.rows, rows) });
    return { actions, affectedRows: rows };
  } finally {
    stored.release();
  }
}

export const withoutBlankRows = (from: string, names: readonly string[]): string =>
  `(SELECT * FROM ${from} AS lines WHERE ${names.map((name) => `${quoteName(name)} IS NOT NULL`).join(' OR ')})`;

/** Functions that return the same value on every node at any time. */
const FIXED = new Set(['cast', 'decimal', 'varchar', 'list_value', 'main']);

/** Whether the SQL of a default certainly has one value for the whole statement; false for most functions. */
function isConstant(sql: string): boolean {
  const code = sql.replaceAll(/'(?:[^']|'')*'/g, "''");
  if (/\bcurrent_|\blocaltime/i.test(code)) return false;
  return [...code.matchAll(/([A-Za-z_]\w*)"?\s*\(/g)].every(([, name]) => FIXED.has(name!.toLowerCase()));
}
