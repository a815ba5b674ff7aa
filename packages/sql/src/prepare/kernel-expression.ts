import { fail, TesseraError } from '@tessera/common';
import { type BindingSession, caretOf, quoteName } from '@tessera/kernel';
import { substituteColumns } from '../functions/substitute-columns.ts';
import { deparse, parseQuery } from '../parse/parse.ts';
import { Placement } from '../relations/placement.ts';
import type { PrepareContext } from '../relations/prepare-context.ts';
import { column, type Expression, type Statement, walkTree } from '../tree.ts';
import { rewriteQuery } from './rewrite-query.ts';

/** A column that an expression of a table's definition may refer to. */
export interface DefinitionColumn {
  readonly name: string;
  /** The column's name where the expression will be evaluated. */
  readonly storedName: string;
  readonly type: string;
  /** `Column.declared`. */
  readonly declared?: string | undefined;
}

export interface KernelExpression {
  /** The expression as SQL of the kernel, over stored names. */
  readonly sql: string;
  /** The names of the columns that the expression reads. */
  readonly columns: readonly string[];
}

const SELECT = 'SELECT ';

/**
 * Translates an expression of a table's definition (a default, a partition key) to SQL of the kernel and
 * binds it against the columns. It begins at `offset` of `text`, the whole statement, so that errors point at
 * the right place.
 * @throws TesseraError if it does not bind; BINDING_ERROR for aggregates and parameters, NOT_SUPPORTED for subqueries
 */
export async function kernelExpression(
  expression: { readonly sql: string; readonly offset: number },
  text: string,
  columns: readonly DefinitionColumn[],
  context: Omit<PrepareContext, 'relations' | 'resolveRead'>,
): Promise<KernelExpression> {
  const { session } = context;
  // The expression may end with a line comment, so a line break must follow it.
  const query = { sql: `${SELECT}${expression.sql}\n`, offset: expression.offset - SELECT.length };
  const parsed = await parseQuery(session, text, query);
  const refuse = (message: string) =>
    fail('BINDING_ERROR', { message }, { location: parsed.locate(SELECT.length) });
  const item = onlyItem(parsed.statement) ?? refuse('Expected one expression');
  const used = new Set<string>();
  walkTree(item, (node) => {
    if (!('class' in node)) return;
    if (node.class === 'SUBQUERY')
      fail(
        'NOT_SUPPORTED',
        { what: 'A subquery in the definition of a table' },
        { location: parsed.locate(SELECT.length) },
      );
    if (node.class === 'PARAMETER') refuse('A parameter cannot stand in the definition of a table');
    if (node.class === 'WINDOW') refuse('A window function cannot stand in the definition of a table');
    const name = node.class === 'COLUMN_REF' ? node.column_names[0]?.toLowerCase() : undefined;
    const found = columns.find((c) => c.name.toLowerCase() === name);
    if (found !== undefined) used.add(found.name);
  });
  const resolveRead = () => refuse('Files cannot be read in the definition of a table');
  const statement = await rewriteQuery(
    parsed,
    { ...context, resolveRead },
    {
      placement: new Placement(),
      database: context.sessionValues.database,
      parameter: (node) => node,
      columns,
    },
  );
  // The expression is cast where it is evaluated, and a decimal literal under a cast keeps its digits.
  const isExact = item.class === 'CONSTANT' && item.value.type.id === 'DECIMAL';
  const rewritten = (isExact ? item : onlyItem(statement)) ?? refuse('Expected one expression');
  const stored = new Map(columns.map((c) => [c.name, column(c.storedName)]));
  const sql = await expressionSql(session, statement, substituteColumns({ ...rewritten, alias: '' }, stored));
  await bind(session, sql, columns, (error) => located(error, parsed.locate(SELECT.length)));
  return { sql, columns: [...used] };
}

function onlyItem({ node }: Statement): Expression | undefined {
  if (node.type !== 'SELECT_NODE' || node.from_table.type !== 'EMPTY') return undefined;
  const [item, ...more] = node.select_list;
  return more.length === 0 && item?.class !== 'STAR' ? item : undefined;
}

async function expressionSql(
  session: BindingSession,
  statement: Statement,
  item: Expression,
): Promise<string> {
  const node = { ...statement.node, select_list: [item] };
  const sql = await deparse(session, { ...statement, node } as Statement);
  return `(${sql.slice(SELECT.length)})`;
}

async function bind(
  session: BindingSession,
  sql: string,
  columns: readonly DefinitionColumn[],
  explained: (error: unknown) => unknown,
): Promise<void> {
  const nulls = columns.map((c) => `NULL::${c.type} AS ${quoteName(c.storedName)}`);
  const source = nulls.length === 0 ? '' : ` FROM (SELECT ${nulls.join(', ')}) WHERE ${sql} IS NULL`;
  // A WHERE clause refuses aggregates.
  const query = source === '' ? `SELECT 1 WHERE ${sql} IS NULL` : `SELECT 1${source}`;
  await session.describe(query).catch((error: unknown) => {
    throw inDefinition(explained(error));
  });
}

/** The error of an aggregate or a window function names the WHERE that is in no statement. */
const inDefinition = (error: unknown): unknown =>
  error instanceof TesseraError && / are not allowed in WHERE$/.test(error.message)
    ? error.with({ message: error.message.replace('WHERE', 'the definition of a table') })
    : error;

function located(
  error: unknown,
  location: ReturnType<Awaited<ReturnType<typeof parseQuery>>['locate']>,
): unknown {
  if (!(error instanceof TesseraError) || caretOf(error) === undefined) return error;
  return error.with({ location });
}
