import type { CheckConstraint, Column, TableObject } from '@tessera/catalog';
import { fail } from '@tessera/common';
import { type Kernel, type KernelSession, quoteName, type SessionOptions, typeToSql } from '@tessera/kernel';
import {
  columnType,
  dialectTypeName,
  type KernelExpression,
  kernelExpression,
  type PrepareContext,
  type SqlText,
} from '@tessera/sql';
import { type SessionSettings, sessionOptions } from './session-options.ts';

/** The context that the meaning of an expression depends on, in addition to its text. */
export interface DefinitionContext {
  readonly settings: { readonly timezone: string };
  readonly sessionValues: PrepareContext['sessionValues'];
  /** If absent, an expression with `nextval` can be bound but not run. */
  readonly sequences?: PrepareContext['sequences'];
}

/** The statement that contains a definition. */
interface DefiningStatement extends DefinitionContext {
  readonly settings: SessionSettings;
  readonly run: {
    readonly kernel: Kernel;
    readonly text: string;
    readonly query: { readonly signal: AbortSignal };
  };
}

/** Runs `work` with an empty session. */
export async function withSession<T>(
  { run, settings }: DefiningStatement,
  work: (session: KernelSession) => Promise<T>,
  place: Pick<SessionOptions, 'quarantine'> = {},
): Promise<T> {
  const { signal } = run.query;
  const session = await run.kernel.session({ ...sessionOptions(settings), ...place, signal });
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/**
 * Translates an expression over the columns to SQL of the kernel; `text` is the statement that contains it.
 */
export function definitionExpression(
  { settings, sessionValues, sequences }: DefinitionContext,
  session: KernelSession,
  expression: SqlText,
  columns: readonly Pick<Column, 'name' | 'storedName' | 'type'>[],
  text: string,
): Promise<KernelExpression> {
  return kernelExpression(expression, text, columns, {
    session,
    settings,
    sessionValues,
    parameters: [],
    sequences: sequences ?? unboundSequences(session),
  });
}

/** Provides kernel sequences for any name, for expressions that do not run. */
function unboundSequences(session: KernelSession): NonNullable<PrepareContext['sequences']> {
  return {
    next: async () => {
      await session.execute('CREATE TEMP SEQUENCE IF NOT EXISTS tsr_seq_unbound');
      return 'tsr_seq_unbound';
    },
    current: async () => 0n,
    set: async () => fail('NOT_SUPPORTED', { what: 'setval in the definition of a table' }),
    owned: async () => undefined,
    defineIn: async () => undefined,
  };
}

const STRING_LITERAL = /^'(?:[^']|'')*'$/;

/** @throws TesseraError if a default is invalid, including a type that does not fit */
export async function checkDefault(
  context: DefiningStatement,
  column: Column,
  expression: SqlText,
): Promise<void> {
  await withSession(context, async (session) => {
    const { sql } = await definitionExpression(context, session, expression, [], context.run.text);
    const value = `SELECT CAST(${sql} AS ${column.type})`;
    // As in PostgreSQL, a literal is evaluated at once, other expressions when a row needs them.
    if (STRING_LITERAL.test(expression.sql.trim())) await session.execute(value);
    else await session.describe(value);
  });
}

/** A cache per table object: tables are immutable, and an altered table is another object. */
const prepared = new WeakMap<object, Map<string, Promise<readonly KernelExpression[]>>>();

/** The partition expressions of a table over its stored names. */
export const partitionExpressions = (
  context: DefinitionContext,
  session: KernelSession,
  table: Pick<TableObject, 'partitionBy' | 'columns'>,
): Promise<readonly KernelExpression[]> =>
  preparedOnce(context, session, table, 'partition', table.partitionBy);

/** The conditions of the CHECK constraints of a table over its stored names, in order. */
export const checkConditions = (
  context: DefinitionContext,
  session: KernelSession,
  table: Pick<TableObject, 'constraints' | 'columns'>,
): Promise<readonly KernelExpression[]> =>
  preparedOnce(
    context,
    session,
    table,
    'check',
    checksOf(table).map(({ sql }) => sql),
  );

/** The CHECK constraints of a table, in order. */
export const checksOf = ({
  constraints = [],
}: Pick<TableObject, 'constraints'>): readonly CheckConstraint[] =>
  constraints.filter((constraint) => constraint.kind === 'check');

function preparedOnce(
  context: DefinitionContext,
  session: KernelSession,
  table: Pick<TableObject, 'columns'>,
  purpose: string,
  expressions: readonly string[],
): Promise<readonly KernelExpression[]> {
  const known = prepared.get(table) ?? new Map<string, Promise<readonly KernelExpression[]>>();
  prepared.set(table, known);
  const key = JSON.stringify([purpose, context.settings.timezone, context.sessionValues]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = prepareAll(context, session, table, expressions);
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}

async function prepareAll(
  context: DefinitionContext,
  session: KernelSession,
  { columns }: Pick<TableObject, 'columns'>,
  expressions: readonly string[],
): Promise<readonly KernelExpression[]> {
  const all: KernelExpression[] = [];
  for (const sql of expressions) {
    all.push(await definitionExpression(context, session, { sql, offset: 0 }, columns, sql));
  }
  return all;
}

/**
 * Checks the condition of a CHECK constraint in the statement.
 * @returns the names of the columns that it reads
 * @throws TesseraError if it is invalid; INVALID_ARGUMENT if its type is not boolean
 */
export async function checkCondition(
  context: DefiningStatement,
  condition: SqlText,
  columns: readonly Column[],
): Promise<readonly string[]> {
  return withSession(context, async (session) => {
    const { sql, columns: used } = await definitionExpression(
      context,
      session,
      condition,
      columns,
      context.run.text,
    );
    const nulls = columns.map((c) => `NULL::${c.type} AS ${quoteName(c.storedName)}`);
    const { columns: described } = await session.describe(`SELECT ${sql} FROM (SELECT ${nulls.join(', ')})`);
    const type = typeToSql(described[0]!.type);
    if (type !== 'BOOLEAN' && type !== '"NULL"') {
      const message = `The condition of CHECK is of type ${dialectTypeName(columnType(type))}, not boolean`;
      fail('DATATYPE_MISMATCH', { message });
    }
    return used;
  });
}

/** @throws TesseraError if an expression of PARTITION BY or of an index is invalid */
export async function checkExpressions(
  context: DefiningStatement,
  expressions: readonly SqlText[],
  columns: readonly Column[],
  { constantsFor }: { readonly constantsFor?: string } = {},
): Promise<void> {
  if (expressions.length === 0) return;
  await withSession(context, async (session) => {
    for (const expression of expressions) {
      const { columns: used } = await definitionExpression(
        context,
        session,
        expression,
        columns,
        context.run.text,
      );
      if (used.length === 0 && constantsFor !== undefined) {
        fail('INVALID_ARGUMENT', { message: `${constantsFor} needs expressions over columns of the table` });
      }
    }
  });
}
