import { quoteName, quoteText } from '@tessera/kernel';
import { AS_DECLARED } from '../functions/postgres-macros.ts';
import { skipBrackets } from '../statements/grammar/expression-text.ts';
import type { ObjectName } from '../statements/object-name.ts';
import { isWord, nameOf, QuotedName, tokenize, Word } from '../text/lexer.ts';
import type { SqlText } from '../text/token-cursor.ts';
import { TokenCursor } from '../text/token-cursor.ts';
import type { ChangeTarget } from './change-target.ts';
import { ComposedText } from './composed-text.ts';
import { fittedSql } from './declared-limits.ts';

/** The names that a RETURNING clause can see: one row of the table, and the statement's other relations. */
export interface ReturningScope {
  readonly target: ChangeTarget;
  readonly table: ObjectName;
  /** The name of the table within the statement. */
  readonly alias: string;
  /** The relations in FROM or USING. */
  readonly others: readonly OtherRelation[];
}

export interface OtherRelation {
  readonly name: string;
  /** Whether its name may mean one value instead of a row, as that of a function does, or that of a column of the table. */
  readonly mayBeValue: boolean;
}

/** The column of `ReturningRows.rows` whose value is the whole row of another relation. */
export const wholeRow = ({ name, mayBeValue }: OtherRelation, i: number): string =>
  quoteName(mayBeValue ? name : `$r${i}`);

/**
 * `SELECT <head>, <items> FROM (<rows>) AS <alias>, LATERAL (SELECT unnest("$r0")) AS <other>`: the columns that the statement writes,
 * followed by the RETURNING items of each row. `rows` is a query with the columns of the table under their own names, with
 * their new values, and the whole rows of the other relations.
 */
export function returningText(
  items: readonly SqlText[],
  { head, rows, areStored = false }: ReturningRows,
  scope: ReturningScope,
): ComposedText {
  const text = new ComposedText().add(`SELECT ${head.join(', ')}`);
  for (const item of items) addItem(text.add(', '), item, scope);
  text
    .add(' FROM (')
    .append(areStored ? rows : fittedRows(rows, scope.target))
    .add(`) AS ${quoteName(scope.alias)}`);
  for (const [i, other] of scope.others.entries()) {
    if (other.mayBeValue) continue;
    text.add(`, LATERAL (SELECT unnest(${wholeRow(other, i)})) AS ${quoteName(other.name)}`);
  }
  return text;
}

interface ReturningRows {
  readonly head: readonly string[];
  readonly rows: ComposedText;
  /** Whether the values are those of stored rows, and not new ones. */
  readonly areStored?: boolean;
}

/** New values as the table stores them, such as texts without the blanks that are beyond the length of `varchar(n)`. */
export function fittedRows(rows: ComposedText, target: ChangeTarget): ComposedText {
  const fitted = target.columns.flatMap((column) => {
    const { declared } = column;
    if (declared === undefined || declared === 'jsonb') return [];
    const name = quoteName(column.name);
    // The cast to the type of the column has rounded points in time.
    const sql = declared.startsWith('timestamp(') ? undefined : fittedSql(target.name, column, name);
    // Clients learn the declared type of what RETURNING returns.
    return [`${quoteName(AS_DECLARED)}(${sql ?? name}, ${quoteText(declared)}) AS ${name}`];
  });
  if (fitted.length === 0) return rows;
  return new ComposedText()
    .add(`SELECT * REPLACE (${fitted.join(', ')}) FROM (`)
    .append(rows)
    .add(`) AS ${quoteName(target.name)}`);
}

/**
 * Appends one item. Stars are expanded, because the rows have internal columns that the user must not see.
 */
function addItem(text: ComposedText, item: SqlText, scope: ReturningScope): void {
  const { target, alias, others } = scope;
  const tokens = tokenize(item.sql);
  const columns = target.columns.map(({ name }) => `${quoteName(alias)}.${quoteName(name)}`);
  const ofOthers = others.map(({ name }) => `${quoteName(name)}.*`);
  if (tokens.length === 1 && tokens[0]!.image === '*') {
    text.add([...columns, ...ofOthers].join(', '));
  } else if (tokens.at(-1)?.image === '*' && tokens.at(-2)?.image === '.' && isTable(tokens, scope)) {
    text.add(columns.join(', '));
  } else {
    addUnqualified(text, item, scope);
  }
}

type Tokens = ReturnType<typeof tokenize>;

const isTable = (tokens: Tokens, { table, alias }: ReturningScope): boolean => {
  const names = tokens.slice(0, -2).filter(({ image }) => image !== '.');
  return names.length === 1 ? nameOf(names[0]!) === alias : isNamed(names, table);
};

const DEFAULT_SCHEMA = 'public';

/**
 * Whether `[database.]schema.table` names the table of the statement, which may be written without its schema
 * there.
 */
function isNamed(names: Tokens, { parts }: ObjectName): boolean {
  const [name, schema, database] = names.map(nameOf).reverse();
  const [tableName, tableSchema = DEFAULT_SCHEMA, tableDatabase = database] = [...parts].reverse();
  return name === tableName && schema === tableSchema && database === tableDatabase;
}

/**
 * Rewrites `public.t.c` to `t.c`, because the rows are named by the last part alone, and `t` to a row of the columns of the table,
 * because the rows have internal columns too.
 */
function addUnqualified(text: ComposedText, item: SqlText, scope: ReturningScope): void {
  const { sql, offset } = item;
  const tokens = tokenize(sql);
  let at = 0;
  for (const [i, token] of tokens.entries()) {
    if (token.startOffset < at || tokens[i - 1]?.image === '.') continue;
    if (isWholeRow(tokens, i, scope)) {
      text.span({ sql: sql.slice(at, token.startOffset), offset: offset + at });
      text.add(ownRow(scope));
      at = token.startOffset + token.image.length;
      continue;
    }
    const length = qualifierLength(tokens.slice(i), scope);
    if (length === 0) continue;
    text.span({ sql: sql.slice(at, token.startOffset), offset: offset + at });
    at = tokens[i + length]!.startOffset;
  }
  text.piece({ sql: sql.slice(at), offset: offset + at });
}

/** Whether a token is the name of the table as a value, and no column, function or alias of an item. */
function isWholeRow(tokens: Tokens, i: number, { target, alias, others }: ReturningScope): boolean {
  const token = tokens[i]!;
  if (token.tokenType !== Word && token.tokenType !== QuotedName) return false;
  const name = nameOf(token);
  const names = [...target.columns, ...others.filter(({ mayBeValue }) => mayBeValue)];
  if (name !== alias || names.some((one) => one.name === name)) return false;
  const after = tokens[i + 1]?.image;
  return isBeforeOperand(tokens[i - 1]) && after !== '.' && after !== '(';
}

/** Whether an operand follows a token; after another operand, a name is an alias. */
const isBeforeOperand = (token: Tokens[number] | undefined): boolean =>
  token === undefined ||
  isWord(token, 'AND', 'OR', 'NOT', 'CASE', 'WHEN', 'THEN', 'ELSE', 'IN', 'DISTINCT') ||
  /^[^\w'")\]$]/.test(token.image);

function ownRow({ target, alias }: ReturningScope): string {
  const name = quoteName(alias);
  const columns = target.columns.map((column) => `${name}.${quoteName(column.name)}`);
  return `(SELECT ${name} FROM (SELECT ${columns.join(', ')}) AS ${name})`;
}

/** The number of tokens before the table's name in `schema.table.column`. */
function qualifierLength(tokens: Tokens, { table, alias }: ReturningScope): 0 | 2 | 4 {
  for (const length of [4, 2] as const) {
    const path = tokens.slice(0, length + 3);
    const isPath = path.length === length + 3 && path.every((token, i) => isPart(token, i));
    const names = path.slice(0, length + 1).filter((_, i) => i % 2 === 0);
    if (isPath && table.parts.at(-1) === alias && isNamed(names, table)) return length;
  }
  return 0;
}

const isPart = (token: Tokens[number], i: number): boolean =>
  i % 2 === 1
    ? token.image === '.'
    : token.tokenType === Word || token.tokenType === QuotedName || token.image === '*';

const JOINS = ['CROSS', 'NATURAL', 'INNER', 'LEFT', 'RIGHT', 'FULL', 'JOIN'];

/** The relations of a FROM clause, under the names by which expressions can refer to them. */
export function relationsIn(from: SqlText, { columns }: ChangeTarget): readonly OtherRelation[] {
  return relationsOf(from).map(({ name, mayBeValue }) => ({
    name,
    mayBeValue: mayBeValue || columns.some((column) => column.name === name),
  }));
}

function relationsOf({ sql }: SqlText): readonly OtherRelation[] {
  const cursor = new TokenCursor(sql);
  const relations: OtherRelation[] = [];
  while (cursor.peek() !== undefined) {
    cursor.accept('LATERAL');
    relations.push(...relationAt(cursor));
    while (cursor.peek() !== undefined && !cursor.acceptSymbol(',') && !cursor.accept('JOIN')) {
      if (cursor.isAtSymbol('(')) skipBrackets(cursor);
      else cursor.next();
    }
  }
  return relations;
}

/** A join in parentheses has no name of its own; its relations keep theirs. */
function relationAt(cursor: TokenCursor): readonly OtherRelation[] {
  let name: string | undefined;
  let mayBeValue = false;
  let inner: readonly OtherRelation[] = [];
  if (cursor.isAtSymbol('(')) {
    const start = cursor.offset;
    const isQuery = isWord(cursor.peek(1), 'SELECT', 'WITH', 'VALUES', 'FROM', 'TABLE');
    skipBrackets(cursor);
    const { sql } = cursor.textFrom(start);
    if (!isQuery) inner = relationsOf({ sql: sql.slice(1, -1), offset: 0 });
  } else {
    do name = cursor.expectName('a table');
    while (cursor.acceptSymbol('.'));
    mayBeValue = cursor.isAtSymbol('(');
    if (mayBeValue) skipBrackets(cursor);
    if (cursor.accept('WITH')) cursor.accept('ORDINALITY');
  }
  const token = cursor.peek();
  const isAlias = token?.tokenType === Word || token?.tokenType === QuotedName;
  if (cursor.accept('AS') || (isAlias && !isWord(token, ...JOINS, 'ON', 'USING'))) {
    return [{ name: cursor.expectName('an alias'), mayBeValue }];
  }
  return name === undefined ? inner : [{ name, mayBeValue }];
}
