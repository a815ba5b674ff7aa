import { quoteName } from '@tessera/kernel';
import type { InsertStatement } from '../statements/catalog-statement.ts';
import type { SqlText } from '../text/token-cursor.ts';
import type { ChangeTarget, TargetColumn } from './change-target.ts';
import { literalRows } from './insert-query.ts';

const STRING = /^'(?:[^']|'')*'$/;
const DATE = /^(?:date\s*)?'[^']*'$/i;
/** At most one blank is allowed: the kernel reads a blank before an offset (`12:00 +02`) differently. */
const TIMESTAMP = /^(?:timestamp\s*)?'[^'\s]+(?: [^'\s]+)?'$/i;
const INSTANT = /^'[^'\s]+(?: [^'\s]+)?'$/;
const INTEGER = /^-?\d{1,18}$/;
/** Short enough to be the same number whether it is read as a decimal or as a double. */
const FRACTION = /^-?\d{0,7}\.?\d{1,7}$/;
/** Exact in every digit: the kernel does not read literals of up to 38 digits as doubles. */
const DECIMAL = /^-?(?:\d{1,19}(?:\.\d{0,18})?|\.\d{1,18})$/;
const BOOLEAN = /^(?:true|false)$/i;
const NULL = /^null$/i;

/** The literals that mean the same in the kernel and in the dialect, in any context. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  INTEGER,
  BIGINT: INTEGER,
  FLOAT: FRACTION,
  DOUBLE: FRACTION,
  VARCHAR: STRING,
  BOOLEAN,
  DATE,
  TIMESTAMP,
  'TIMESTAMP WITH TIME ZONE': INSTANT,
};

/** The rows of an INSERT as SQL of the kernel. */
export interface PlainValues {
  readonly sql: string;
  /** The number of rows. */
  readonly rows: number;
}

/**
 * SQL of the kernel for the rows of an INSERT that consists of plain literals. It equals `InsertQuery.rows`,
 * without the cost of parsing and binding a query. Undefined for every other INSERT, including invalid ones.
 */
export function plainValues(
  insert: InsertStatement,
  target: ChangeTarget,
  statement: string,
): PlainValues | undefined {
  const { query, columns: names } = insert;
  if (query === undefined || insert.with !== undefined || insert.overriding !== undefined) return undefined;
  if (target.columns.some(({ identity }) => identity === 'always')) return undefined;
  const rows = literalRows(query, statement);
  if (rows === undefined) return undefined;
  const order = target.columns.map((column, i) => names?.indexOf(column.name) ?? i);
  if (names?.some((name) => target.columns.every((c) => c.name !== name))) return undefined;
  const values: string[] = [];
  for (const { items } of rows) {
    if (items.length !== (names?.length ?? rows[0]!.items.length) || items.length > order.length)
      return undefined;
    const row: string[] = [];
    for (const [i, column] of target.columns.entries()) {
      const at = order[i]!;
      const value = at >= 0 && at < items.length ? plainValue(items[at], column) : plainDefault(column);
      if (value === undefined) return undefined;
      row.push(`CAST(${value} AS ${column.type})`);
    }
    values.push(`(${row.join(', ')})`);
  }
  const stored = target.columns.map(({ storedName }) => quoteName(storedName)).join(', ');
  const sql = `SELECT * FROM (VALUES ${values.join(', ')}) AS source(${stored})`;
  return { sql, rows: values.length };
}

function plainValue(item: SqlText | undefined, column: TargetColumn): string | undefined {
  if (item === undefined) return plainDefault(column);
  const sql = item.sql.trim();
  if (NULL.test(sql)) return column.nullable ? 'NULL' : undefined;
  const { type } = column;
  const plain = type.startsWith('DECIMAL(') ? DECIMAL : Object.hasOwn(PLAIN, type) ? PLAIN[type] : undefined;
  return plain?.test(sql) ? sql : undefined;
}

const plainDefault = ({ defaultSql, nullable }: TargetColumn): string | undefined =>
  defaultSql === undefined && nullable ? 'NULL' : undefined;
