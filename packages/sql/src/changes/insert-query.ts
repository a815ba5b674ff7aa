import { atOnce, isSameName, type SqlLocation, type Steps } from '@tessera/common';
import { quoteName } from '@tessera/kernel';
import type { IToken } from 'chevrotain';
import { ASSIGNED_SOURCE } from '../rewrites/decimal-literals.ts';
import type { InsertStatement } from '../statements/catalog-statement.ts';
import { expressionText } from '../statements/grammar/expression-text.ts';
import { locationAt } from '../text/location.ts';
import { type SqlText, TokenCursor } from '../text/token-cursor.ts';
import { checkedCast, decimalOfFloat, TEXT_READERS } from '../types/checked-cast.ts';
import { columnType, dialectTypeName, isCountedType } from '../types/column-type.ts';
import type { OutputColumn, SqlType } from '../types/sql-type.ts';
import { type ChangeQuery, changeQuery, failInStatement, nullRefused } from './change-query.ts';
import {
  assignedType,
  type ChangeTarget,
  refuseGenerated,
  storedForm,
  type TargetColumn,
  targetAlias,
  targetColumn,
} from './change-target.ts';
import { ComposedText, leadingWith } from './composed-text.ts';
import { returningText } from './returning.ts';

/** The number of tokens of VALUES that are looked at in one step. */
const TOKENS_PER_STEP = 512;

const NUMBERS = new Set(['boolean', 'int', 'long', 'float', 'double', 'decimal']);
/** The macros that write, as PostgreSQL does, values whose texts the kernel writes differently. */
const WRITERS: Readonly<Record<string, string>> = {
  float: 'tsr_text',
  double: 'tsr_text',
  bytea: 'tsr_text',
  array: 'tsr_array_text',
};
const TIMES = new Set(['date', 'timestamp', 'timestamptz']);

/**
 * Whether a value of one type may be stored in a column of another. PostgreSQL's assignment casts are
 * allowed, and so are numbers as booleans and the reverse, and text, which is parsed as the column's type: untyped literals and
 * the cells of files without a schema are text.
 */
function isAssignable(from: SqlType, to: SqlType): boolean {
  if (to.kind === 'text' || from.kind === 'text') return true;
  if (to.kind === 'json') return from.kind !== 'bytea' && from.kind !== 'geography';
  if (from.kind === 'array') return to.kind === 'array' && isAssignable(from.element, to.element);
  if (from.kind === 'struct') {
    if (to.kind !== 'struct' || to.fields.length !== from.fields.length) return false;
    return to.fields.every((field) => {
      const source = from.fields.find((f) => isSameName(f.name, field.name));
      return source !== undefined && isAssignable(source.type, field.type);
    });
  }
  if (from.kind === to.kind) return true;
  return [NUMBERS, TIMES].some((group) => group.has(from.kind) && group.has(to.kind));
}

/**
 * The query of an INSERT. Its own columns come first, then the defaults of the columns that the statement
 * leaves out.
 */
export interface InsertQuery extends ChangeQuery {
  /**
   * SQL of the kernel for the rows to store: all columns of the table in order, under their stored names,
   * each with the column's type. A NULL in a NOT NULL column makes it fail; `explain` translates that error.
   * @param bound the bound `sql`
   * @param how with `areNullsCounted`, the writer of the rows checks columns whose type `isCountedType` for
   * NULL, which costs less than a check in the query
   * @throws TesseraError BINDING_ERROR for too many or too few values, or for a value whose type cannot be
   * assigned to its column
   */
  rows(
    bound: { readonly sql: string; readonly columns: readonly OutputColumn[] },
    how?: { readonly areNullsCounted: boolean },
  ): string;
  /**
   * The query for the rows and for their RETURNING items: all columns of the table in order, then the items.
   * @param columns the columns of the bound query; not needed if `isCounted`
   * @throws TesseraError as `rows`
   */
  returning(items: readonly SqlText[], columns?: readonly OutputColumn[]): ChangeQuery;
  /**
   * A query of the dialect for the rows: all columns of the table in order, under their own names. `columns` and the errors
   * are those of `returning`.
   */
  proposed(columns?: readonly OutputColumn[]): ComposedText;
  /** Whether the number of columns is known from the text alone, without binding. */
  readonly isCounted: boolean;
}

/**
 * Composes the query of an INSERT.
 * @param statement the text from which `insert` was parsed
 * @throws TesseraError UNDEFINED_NAME for a column that the table does not have, BINDING_ERROR for rows of
 * the wrong length
 */
export function insertQuery(insert: InsertStatement, target: ChangeTarget, statement: string): InsertQuery {
  const named = insert.columns?.map((name, i) => targetColumn(target, name, insert.columnLocations[i]));
  const { query } = insert;
  if (query === undefined) return rowsGiven([], undefined, insert, target, statement);
  const values = atOnce(literalRows(query, statement));
  if (values === undefined) return rowsOfQuery(query, named, insert, target, statement);
  const { given, rows } = checkedRows(values, named, insert, target);
  return rowsGiven(given, rows, insert, target, statement);
}

/**
 * The queries of an INSERT of rows of values, each for as many rows as `characters` hold. The trees of all rows together
 * would take about a thousand bytes for each character. `rows` of each query is valid for the rows of all of them.
 * Undefined if the statement is not longer than two parts, or if its rows come from another query.
 * @throws TesseraError as `insertQuery`
 */
export function* insertQueries(
  insert: InsertStatement,
  target: ChangeTarget,
  statement: string,
  characters: number,
): Steps<Iterable<InsertQuery> | undefined> {
  const { query } = insert;
  if (query === undefined || insert.with !== undefined || query.sql.length < 2 * characters) return undefined;
  const values = yield* literalRows(query, statement);
  if (values === undefined) return undefined;
  const named = insert.columns?.map((name, i) => targetColumn(target, name, insert.columnLocations[i]));
  const { given, rows } = checkedRows(values, named, insert, target);
  return parts(rows, characters).map((part) => rowsGiven(given, part, insert, target, statement));
}

/** Consecutive rows, as many at a time as the characters hold. */
function* parts(rows: readonly ValuesRow[], characters: number): Generator<readonly ValuesRow[]> {
  let part: ValuesRow[] = [];
  let length = 0;
  for (const row of rows) {
    part.push(row);
    for (const item of row.items) length += item?.sql.length ?? 0;
    if (length < characters) continue;
    yield part;
    part = [];
    length = 0;
  }
  if (part.length > 0) yield part;
}

/** The columns that rows of values are given for, and the rows without values that the statement overrides. */
function checkedRows(
  values: readonly ValuesRow[],
  named: readonly TargetColumn[] | undefined,
  insert: InsertStatement,
  target: ChangeTarget,
): { readonly given: readonly TargetColumn[]; readonly rows: readonly ValuesRow[] } {
  const given = named ?? target.columns.slice(0, values[0]!.items.length);
  for (const row of values) {
    const isShort = row.items.length < given.length;
    if (isShort || row.items.length > given.length)
      wrongCount(row.items.length, named, target, row.location());
    for (const [i, item] of row.items.entries())
      if (item !== undefined) checkGenerated(insert, given[i]!, row.location);
  }
  return { given, rows: withoutOverridden(insert, given, values) };
}

function checkGenerated(
  { overriding }: InsertStatement,
  column: TargetColumn,
  location: () => SqlLocation,
): void {
  if (column.identity === 'always' && overriding === undefined) refuseGenerated(column, location());
}

/** Whether the values that the statement gives for a column are ignored. */
const isOverridden = ({ overriding }: InsertStatement, { identity }: TargetColumn): boolean =>
  overriding === 'user' && identity !== undefined;

function withoutOverridden(
  insert: InsertStatement,
  given: readonly TargetColumn[],
  rows: readonly ValuesRow[],
): readonly ValuesRow[] {
  if (!given.some((column) => isOverridden(insert, column))) return rows;
  return rows.map(({ items, location }) => ({
    items: items.map((item, i) => (isOverridden(insert, given[i]!) ? undefined : item)),
    location,
  }));
}

/** One row of VALUES. */
export interface ValuesRow {
  /** An item is undefined where the statement says DEFAULT. */
  readonly items: readonly (SqlText | undefined)[];
  /**
   * The place of the row. It is a function because counting lines from the start of the statement is costly.
   */
  location(): SqlLocation;
}

/** The rows of `VALUES (…), (…)` if the query consists of nothing else. */
export function* literalRows(query: SqlText, statement: string): Steps<readonly ValuesRow[] | undefined> {
  const cursor = new TokenCursor(statement.slice(0, query.offset + query.sql.length));
  while (cursor.offset < query.offset) cursor.next();
  if (!cursor.accept('VALUES')) return undefined;
  const rows: ValuesRow[] = [];
  let stepEnd = TOKENS_PER_STEP;
  do {
    if (cursor.index > stepEnd) {
      stepEnd = cursor.index + TOKENS_PER_STEP;
      yield;
    }
    const start = cursor.offset;
    cursor.expectSymbol('(');
    const items: (SqlText | undefined)[] = [];
    do items.push(cursor.accept('DEFAULT') ? undefined : expressionText(cursor, 'a value'));
    while (cursor.acceptSymbol(','));
    cursor.expectSymbol(')');
    const end = endOf(cursor.previous!);
    rows.push({ items, location: () => locationAt(cursor.text, start, end) });
  } while (cursor.acceptSymbol(','));
  return cursor.peek() === undefined ? rows : undefined;
}

/** Casts each value to the type of its column, as PostgreSQL does, so that the rows need no common type. */
function rowsGiven(
  given: readonly TargetColumn[],
  rows: readonly ValuesRow[] | undefined,
  insert: InsertStatement,
  target: ChangeTarget,
  statement: string,
): InsertQuery {
  const text = new ComposedText();
  const others = target.columns.filter((c) => !given.includes(c) && hasDefault(c));
  const selected = rows === undefined ? 'true' : 'source.*';
  text.add(`SELECT ${[selected, ...others.map(defaultOf)].join(', ')}`);
  if (rows !== undefined) {
    text.add(' FROM (VALUES ').list(rows, ', ', ({ items }) => {
      text
        .add('(')
        .list(items, ', ', (item, i) => addValue(text, given[i]!, item))
        .add(')');
    });
    text.add(`) AS source(${given.map((_, i) => `v${i}`).join(', ')})`);
  }
  const order = rows === undefined ? [undefined, ...others] : [...given, ...others];
  return {
    ...queryOf(text, insert, target, statement, () => ({ order, known: [], isAssigned: true })),
    isCounted: true,
  };
}

/** The target column of each column of a query, and what is known about the first of them. */
interface ColumnOrder {
  readonly order: readonly (TargetColumn | undefined)[];
  readonly known: readonly OutputColumn[];
  /** Whether every value already has the type of its column. */
  readonly isAssigned?: boolean;
}

/** @param text the query without the WITH clause of the statement */
function queryOf(
  text: ComposedText,
  insert: InsertStatement,
  target: ChangeTarget,
  statement: string,
  orderOf: (columns: readonly OutputColumn[]) => ColumnOrder,
): Omit<InsertQuery, 'isCounted'> {
  const proposed = (columns: readonly OutputColumn[] = []): ComposedText => {
    const [before, behind] = storedRows(target, orderOf(columns), ({ name }) => name, { isDialect: true });
    return new ComposedText().add(before).append(text).add(behind);
  };
  return {
    ...changeQuery(leadingWith(insert).append(text), statement),
    rows: ({ sql, columns }, how) => {
      const [before, behind] = storedRows(target, orderOf(columns), ({ storedName }) => storedName, how);
      return `${before}${sql}${behind}`;
    },
    returning: (items, columns = []) => {
      const rows = proposed(columns);
      const { table } = insert;
      const alias = targetAlias(table, insert.alias);
      const head = target.columns.map(({ name }, i) => `${quoteName(alias)}.${quoteName(name)} AS "$c${i}"`);
      const returned = returningText(items, { head, rows }, { target, table, alias, others: [] });
      return changeQuery(leadingWith(insert).append(returned), statement);
    },
    proposed,
  };
}

const endOf = ({ startOffset, image }: IToken): number => startOffset + image.length;

function addValue(text: ComposedText, column: TargetColumn, item: SqlText | undefined): void {
  if (item === undefined) text.add(defaultOf(column));
  else
    text
      .add('CAST((')
      .piece(item)
      .add(`) AS ${assignedType(column)})`);
}

function rowsOfQuery(
  query: SqlText,
  named: readonly TargetColumn[] | undefined,
  insert: InsertStatement,
  target: ChangeTarget,
  statement: string,
): InsertQuery {
  // Without a column list, the columns that the query leaves out are known only after binding. So every
  // default is requested here; one that turns out to be unnecessary is never computed.
  const isGiven = (c: TargetColumn) => named?.includes(c) === true && !isOverridden(insert, c);
  const others = target.columns.filter((c) => hasDefault(c) && !isGiven(c));
  const text = new ComposedText();
  text.add(`SELECT ${[`${ASSIGNED_SOURCE}.*`, ...others.map(defaultOf)].join(', ')} FROM (`);
  text.piece(query).add(`) AS ${ASSIGNED_SOURCE}`);
  const orderOf = (columns: readonly OutputColumn[]): ColumnOrder => {
    const count = columns.length - others.length;
    const given = named ?? target.columns.slice(0, count);
    if (count !== given.length) wrongCount(count, named, target, insert.table.location);
    const { location } = insert.table;
    for (const [i, column] of given.entries()) {
      checkGenerated(insert, column, () => insert.columnLocations[i] ?? location);
      checkType(columns[i]!, column, target, location);
    }
    const stored = given.map((column) => (isOverridden(insert, column) ? undefined : column));
    return { order: [...stored, ...others], known: columns.slice(0, count) };
  };
  return { ...queryOf(text, insert, target, statement, orderOf), isCounted: false };
}

const hasDefault = ({ defaultSql }: TargetColumn): boolean => defaultSql !== undefined;

/** The default of a column, or NULL if it has none, cast to the column's type. */
export const defaultOf = (column: TargetColumn): string =>
  `CAST((${column.defaultSql ?? 'NULL'}\n) AS ${assignedType(column)})`;

interface StoredRowsOptions {
  /** See `InsertQuery.rows`. */
  readonly areNullsCounted?: boolean;
  /** Whether the SQL is read as the dialect and not by the kernel. */
  readonly isDialect?: boolean;
}

const isJsonb = (type: SqlType | undefined): boolean => type?.kind === 'json' && type.postgres === 'jsonb';

const writerOf = (type: SqlType | undefined): string | undefined =>
  type && (isJsonb(type) ? 'tsr_jsonb_text' : WRITERS[type.kind]);

/** The cast of a value that is read as `valueTexts` does, if the kernel's own cast reads it differently. */
function readForm(value: string, from: SqlType | undefined, type: string): string | undefined {
  const isFloat = from?.kind === 'float' || from?.kind === 'double';
  if (isFloat && type.startsWith('DECIMAL')) return decimalOfFloat(value, type);
  const reader = from?.kind === 'text' ? TEXT_READERS[type] : undefined;
  return reader && checkedCast(reader, value, type);
}

/**
 * The SQL to put before and after a query so that the result has all columns of the table, in order, named by
 * `nameOf`. If two columns of the query have the same target, the first wins.
 */
export function storedRows(
  target: ChangeTarget,
  { order, known, isAssigned = false }: ColumnOrder,
  nameOf: (column: TargetColumn) => string,
  { areNullsCounted = false, isDialect = false }: StoredRowsOptions = {},
): readonly [string, string] {
  // The kernel names this column in its error if a value cannot be cast.
  const names = order.map((column, i) => {
    const isFirst = column !== undefined && order.indexOf(column) === i;
    return quoteName(isFirst ? column.name : `$unused${i}`);
  });
  const items = target.columns.map((column) => {
    const at = order.indexOf(column);
    const source = known[at];
    const name = at < 0 || source?.isNull === true ? 'NULL' : names[at]!;
    const hasForm = isAssigned || isJsonb(source?.type);
    const type = isDialect ? assignedType(column) : column.type;
    const writer = !isDialect && column.type === 'VARCHAR' ? writerOf(source?.type) : undefined;
    const value =
      writer !== undefined
        ? `${writer}(${name})`
        : isDialect || hasForm
          ? `CAST(${name} AS ${type})`
          : (readForm(name, source?.type, column.type) ?? storedForm(name, column));
    const isSure = source?.nullable === false || (areNullsCounted && isCountedType(column.type));
    const isChecked = !column.nullable && !isSure;
    const checked = isChecked ? `coalesce(${value}, ${nullRefused(target.name, column.name)})` : value;
    return `${checked} AS ${quoteName(nameOf(column))}`;
  });
  return [`SELECT ${items.join(', ')} FROM (`, `) AS source(${names.join(', ')})`];
}

function checkType(
  value: OutputColumn,
  column: TargetColumn,
  target: ChangeTarget,
  location: SqlLocation,
): void {
  const type = columnType(column.type);
  if (value.isNull === true || isAssignable(value.type, type)) return;
  const message = `Column "${column.name}" of table "${target.name}" is of type ${dialectTypeName(type)}, its value is of type ${dialectTypeName(value.type)}`;
  failInStatement('BINDING_ERROR', message, location);
}

function wrongCount(
  count: number,
  named: readonly TargetColumn[] | undefined,
  target: ChangeTarget,
  location: SqlLocation,
): never {
  const message =
    named === undefined
      ? `INSERT has ${count} values, but table "${target.name}" has ${target.columns.length} columns`
      : `INSERT lists ${named.length} columns but has ${count} values`;
  return failInStatement('SYNTAX_ERROR', message, location);
}
