import type { Steps } from '@tessera/common';
import { quoteName } from '@tessera/kernel';
import type { QueryParameter } from '../rewrites/parameters.ts';
import type { InsertStatement } from '../statements/catalog-statement.ts';
import { tokenize } from '../text/lexer.ts';
import type { ChangeTarget, TargetColumn } from './change-target.ts';
import { literalRows } from './insert-query.ts';
import { type LiteralValue, literalValue } from './literal-value.ts';
import { parameterLiteral } from './parameter-literal.ts';

/** The types whose values are written in digits. */
const NUMBERS = /^(?:INTEGER|BIGINT|FLOAT|DOUBLE|DECIMAL\(.*)$/;
/** Digits in quotes, but not a negative zero, whose sign a literal of digits loses. */
const QUOTED = /^'(?!-[0.]*')([^' ]*)'$/;
const STRING = /^'(?:[^']|'')*'$/;
/** The kernel ignores what follows a date. */
const DATE = /^(?:date\s*)?'\d{4}-\d\d-\d\d(?: \(BC\))?'$/i;
/** At most one blank is allowed: the kernel reads a blank before an offset (`12:00 +02`) differently, and `BC`. */
const TIMESTAMP = /^(?:timestamp\s*)?'[^'\s]+(?: [\d:.+Z-]+)?'$/i;
const INSTANT = /^'[^'\s]+(?: [\d:.+Z-]+)?'$/i;
const INTEGER = /^-?\d{1,18}$/;
/** Short enough to be the same number whether it is read as a decimal or as a double. */
const FRACTION = /^-?\d{0,7}\.?\d{1,7}$/;
/** Exact in every digit: the kernel does not read literals of up to 38 digits as doubles. */
const DECIMAL = /^-?(?:\d{1,19}(?:\.\d{0,18})?|\.\d{1,18})$/;
const BOOLEAN = /^(?:true|false)$/i;
const NULL = /^null$/i;
const PARAMETER = /^\$\d+$/;

/** The number of values that are looked at in one step. */
const VALUES_PER_STEP = 512;

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
  /** The values of all columns, in order, if there is a single row whose literals need no kernel. */
  readonly row: readonly LiteralValue[] | undefined;
  /** The literals of all columns, in order, if there is a single row; `NULL` for NULL. */
  readonly literals: readonly string[] | undefined;
}

/**
 * SQL of the kernel for the rows of an INSERT that consists of plain literals and parameters with such values. It equals
 * `InsertQuery.rows`, without the cost of parsing and binding a query. Undefined for every other INSERT, including invalid
 * ones.
 */
export function* plainValues(
  insert: InsertStatement,
  target: ChangeTarget,
  statement: string,
  parameters: readonly QueryParameter[] = [],
): Steps<PlainValues | undefined> {
  const { query, columns: names } = insert;
  if (query === undefined || insert.with !== undefined || insert.overriding !== undefined) return undefined;
  if (target.columns.some(({ identity }) => identity === 'always')) return undefined;
  const rows = yield* literalRows(query, statement);
  if (rows === undefined) return undefined;
  const order = target.columns.map((column, i) => names?.indexOf(column.name) ?? i);
  if (names?.some((name) => target.columns.every((c) => c.name !== name))) return undefined;
  let first: readonly string[] | undefined;
  const cast: string[] = [];
  const given = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const unused = new Set(given.keys());
  for (const { items } of rows) {
    if (items.length !== (names?.length ?? rows[0]!.items.length) || items.length > order.length)
      return undefined;
    const row: string[] = [];
    for (const [i, column] of target.columns.entries()) {
      const item = items[order[i]!]?.sql.trim();
      if (item !== undefined) unused.delete(item);
      const value = item === undefined ? plainDefault(column) : plainValue(item, column, given);
      if (value === undefined) return undefined;
      row.push(value);
    }
    first ??= row;
    cast.push(castRow(row, target));
    if ((cast.length * order.length) % VALUES_PER_STEP < order.length) yield;
  }
  // The binder says what is wrong with a parameter that the statement does not name.
  if (unused.size > 0 && !isNamed(unused, statement)) return undefined;
  const literals = cast.length === 1 ? first : undefined;
  return {
    sql: valuesSql(cast, target),
    rows: cast.length,
    row: literals && rowOfLiterals(literals, target),
    literals,
  };
}

/** Whether a statement names all parameters, for example after the rows. */
function isNamed(parameters: ReadonlySet<string>, statement: string): boolean {
  const names = new Set(tokenize(statement).map(({ image }) => image));
  return [...parameters].every((name) => names.has(name));
}

const castRow = (row: readonly string[], { columns }: ChangeTarget): string =>
  `(${row.map((value, i) => `CAST(${value} AS ${columns[i]!.type})`).join(', ')})`;

function valuesSql(rows: readonly string[], { columns }: ChangeTarget): string {
  const stored = columns.map(({ storedName }) => quoteName(storedName)).join(', ');
  return `SELECT * FROM (VALUES ${rows.join(', ')}) AS source(${stored})`;
}

function rowOfLiterals(literals: readonly string[], { columns }: ChangeTarget): LiteralValue[] | undefined {
  const row: LiteralValue[] = [];
  for (const [i, sql] of literals.entries()) {
    const value = NULL.test(sql) ? null : literalValue(sql, columns[i]!.type);
    if (value === undefined) return undefined;
    row.push(value);
  }
  return row;
}

function plainValue(
  item: string,
  column: TargetColumn,
  parameters: ReadonlyMap<string, QueryParameter>,
): string | undefined {
  const { type } = column;
  const parameter = PARAMETER.test(item) ? parameters.get(item) : undefined;
  const sql = parameter === undefined ? item : parameterLiteral(parameter, type);
  if (sql === undefined) return undefined;
  if (sql === null || (parameter === undefined && NULL.test(sql)))
    return column.nullable ? 'NULL' : undefined;
  const plain = type.startsWith('DECIMAL(') ? DECIMAL : Object.hasOwn(PLAIN, type) ? PLAIN[type] : undefined;
  if (plain?.test(sql)) return sql;
  // A text without a type means the same as its digits.
  const digits = NUMBERS.test(type) && parameter?.type === undefined ? QUOTED.exec(sql)?.[1] : undefined;
  return digits !== undefined && plain?.test(digits) ? digits : undefined;
}

const plainDefault = ({ defaultSql, nullable }: TargetColumn): string | undefined =>
  defaultSql === undefined && nullable ? 'NULL' : undefined;
