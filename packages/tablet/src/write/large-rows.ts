import { type KernelSession, quoteName } from '@tessera/kernel';
import { parseType } from '../values/parse-type.ts';
import { storedType } from '../values/stored-type.ts';
import { keyColumns, selectList } from './copy-rows.ts';
import { partitionRuns } from './partition-runs.ts';
import { dropStage, partitionColumns, type StagedRows, stageName } from './stage.ts';
import type { WriteOptions } from './write-options.ts';
import type { WriteProgress } from './write-progress.ts';

/** The kernel's vector size, the minimum for row groups. */
const LEAST_ROWS = 2048;
/** Fractions of the kernel's memory: for rows that are sorted at once, and for the rows of a row group. */
const SORTED_PART = 5;
const ROW_GROUP_PART = 40;
/** The assumed size of a value without a length, and the overhead of any other value. */
const VALUE_BYTES = 16;

/**
 * Handles rows that are too large for the kernel's own sort, which keeps whole rows in memory while it
 * merges. The query runs into an unsorted temp table, only the keys are sorted, and the rows are read in runs
 * of the sorted keys that fit in memory. The temp table is read once per run.
 */
export async function* largeRowsOf(
  options: WriteOptions,
  progress: WriteProgress,
): AsyncGenerator<StagedRows, void> {
  const { session, table, sql } = options;
  const [stage, order] = [stageName(), stageName()];
  const { values, expressions } = partitionColumns(options);
  const keys = keyColumns(table).map((_, i) => quoteName(`$key${i}`));
  const keyExpressions = keyColumns(table).map(
    ({ storedName }, i) => `"rows".${quoteName(storedName)} AS ${keys[i]}`,
  );
  try {
    const staged = await session.execute(
      `CREATE TEMP TABLE ${stage} AS SELECT ${[selectList(table), ...expressions, ...keyExpressions].join(', ')} ` +
        `FROM (${sql}) AS "rows"`,
      options.params ?? [],
    );
    progress.staged(staged);
    const sorted = keys.length + values.length > 0;
    if (sorted)
      await session.execute(
        `CREATE TEMP TABLE ${order} AS SELECT ${['rowid AS "$row"', ...values].join(', ')} FROM ${stage}${orderOf([...values, ...keys])}`,
      );
    const { runRows, rowGroupRows } = await sizesOf(options, stage);
    const columns = table.columns.map(({ storedName }) => quoteName(storedName)).join(', ');
    for (const { texts, first, rows } of await partitionRuns(session, sorted ? order : stage, values)) {
      for (let from = first; from < first + rows; from += runRows) {
        options.signal.throwIfAborted();
        const range = `BETWEEN ${from} AND ${Math.min(from + runRows, first + rows) - 1}`;
        const chosen = sorted ? `IN (SELECT "$row" FROM ${order} WHERE rowid ${range})` : range;
        yield {
          partition: texts,
          sql: `SELECT ${columns} FROM ${stage} WHERE rowid ${chosen}${orderOf(keys)}`,
          rowGroupRows,
        };
      }
    }
  } finally {
    await dropStage(session, stage);
    await dropStage(session, order);
  }
}

const orderOf = (columns: readonly string[]): string =>
  columns.length === 0 ? '' : ` ORDER BY ${columns.map((column) => `${column} ASC NULLS LAST`).join(', ')}`;

async function sizesOf({ session, table }: WriteOptions, stage: string) {
  const lengths = table.columns.map(({ storedName, type }) => lengthOf(quoteName(storedName), type));
  const rowBytes = Number(
    await session.scalar(`SELECT coalesce(avg(${lengths.join(' + ')}), 1)::DOUBLE FROM ${stage}`),
  );
  const memory = await memoryBytes(session);
  const rowsIn = (part: number) => Math.max(LEAST_ROWS, Math.floor(memory / part / rowBytes));
  return {
    runRows: rowsIn(SORTED_PART),
    rowGroupRows: Math.min(table.indexGranularity, rowsIn(ROW_GROUP_PART)),
  };
}

/** SQL for the approximate number of bytes of a value. */
function lengthOf(name: string, type: string): string {
  const { id } = parseType(storedType(type) ?? type) ?? { id: 'STRUCT' };
  switch (id) {
    case 'VARCHAR':
    case 'JSON':
      return `coalesce(strlen(${name}), 0) + ${VALUE_BYTES}`;
    case 'BLOB':
      return `coalesce(octet_length(${name}), 0) + ${VALUE_BYTES}`;
    case 'LIST':
    case 'ARRAY':
    case 'STRUCT':
    case 'MAP':
      return `coalesce(strlen(${name}::VARCHAR), 0) + ${VALUE_BYTES}`;
    default:
      return String(VALUE_BYTES);
  }
}

const UNITS: Readonly<Record<string, number>> = {
  bytes: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

async function memoryBytes(session: KernelSession): Promise<number> {
  const [amount, unit] = String(await session.scalar("SELECT current_setting('memory_limit')")).split(' ');
  return Number(amount) * (UNITS[unit ?? ''] ?? 1);
}
