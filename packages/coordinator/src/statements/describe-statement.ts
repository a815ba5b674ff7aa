import { updateReads } from '@tessera/access-control';
import type { Snapshot, TableObject } from '@tessera/catalog';
import { requireTable } from '@tessera/catalog';
import {
  type ChangeQuery,
  classifyStatement,
  columnType,
  conflictQuery,
  deleteQuery,
  type InsertStatement,
  insertQuery,
  mergeQuery,
  type ObjectName,
  type OutputColumn,
  type ParameterType,
  updateQuery,
  type WithChangesStatement,
} from '@tessera/sql';
import { explainColumns } from '../binder/explain.ts';
import { queryInPlace } from '../changes/derived-query.ts';
import { conflictScope } from '../changes/insert-on-conflict.ts';
import type { AsyncStatements } from '../queries/async-statements.ts';
import type { StatementRun } from '../run/query-run.ts';
import { type DescribedAs, describeQuery } from '../run/query-run.ts';
import { answeringQuery } from './answering-query.ts';
import { ReturnedRelations } from './returned-relations.ts';

/** What a client needs to know to prepare a statement. */
export interface StatementDescription {
  /** The parameters that the text names itself, in order. */
  readonly parameters: readonly ParameterType[];
  /** Undefined if it returns no rows. */
  readonly columns: readonly OutputColumn[] | undefined;
}

const NOTHING: StatementDescription = { parameters: [], columns: undefined };

/**
 * The parameters and the result of a statement, without running it.
 * @throws TesseraError if it is invalid
 */
export async function describeStatement(
  run: StatementRun,
  asyncStatements: AsyncStatements,
): Promise<StatementDescription> {
  const statement = classifyStatement(run.text);
  switch (statement.kind) {
    case 'query':
      return describeQuery(run);
    case 'explain': {
      const { change } = statement;
      const described =
        change === undefined
          ? describeQuery(run)
          : describeStatement({ ...run, text: queryInPlace(statement, run.text).sql }, asyncStatements);
      return { ...(await described), columns: explainColumns(statement) };
    }
    case 'show':
    case 'show_grants':
    case 'show_setting':
    case 'call':
      return describeQuery({ ...run, text: await answeringQuery(statement, run, asyncStatements) });
    case 'create_table_as':
    case 'copy_to':
      return withoutRows(describeQuery({ ...run, text: queryInPlace(statement.query, run.text).sql }));
    case 'insert':
      return withTable(run, statement.table, (table, snapshot) =>
        describeInsert(run, statement, table, snapshot),
      );
    case 'update':
      return withTable(run, statement.table, (table) =>
        describeChange(run, updateQuery(statement, table, run.text), {
          ...POSITIONS,
          blindTarget: updateReads(statement, table) ? undefined : table.id,
          head: statement.returning && table.columns.length + 2,
        }),
      );
    case 'merge':
      return withTable(run, statement.table, (table) =>
        describeChange(run, mergeQuery(statement, table, run.text), POSITIONS),
      );
    case 'delete':
      if ([statement.where, statement.using, statement.returning].every((clause) => clause === undefined))
        return NOTHING;
      return withTable(run, statement.table, (table) =>
        describeChange(run, deleteQuery(statement, table, run.text), {
          ...POSITIONS,
          head: statement.returning && 2,
        }),
      );
    case 'copy_from_stdin':
      return withTable(run, statement.table, async () => NOTHING);
    case 'with_changes':
      return describeWithChanges(run, statement, asyncStatements);
    default:
      return NOTHING;
  }
}

/** Describes the parts of a statement one after the other: each may read the columns that the ones before it return. */
async function describeWithChanges(
  run: StatementRun,
  { changes, main }: WithChangesStatement,
  asyncStatements: AsyncStatements,
): Promise<StatementDescription> {
  const read = await run.snapshot();
  try {
    const { database } = run.sessionValues;
    const relations = new ReturnedRelations({ user: run.request.user, database }, read.snapshot);
    const parameters = new Map<string, ParameterType>();
    const described = async (text: string) => {
      const snapshot = async () => ({ snapshot: relations.snapshot, release: () => undefined });
      const part = await describeStatement({ ...run, text, snapshot }, asyncStatements);
      for (const parameter of part.parameters)
        if (!parameters.has(parameter.name)) parameters.set(parameter.name, parameter);
      return part;
    };
    for (const [i, { sql }] of changes.entries()) {
      const { columns } = await described(sql);
      if (columns !== undefined) relations.add(relations.toStore(i, columns).table);
    }
    const { columns } = await described(main.sql);
    return { parameters: [...parameters.values()], columns };
  } finally {
    read.release();
  }
}

const POSITIONS: DescribedAs = { rowPositionsOf: 'first relation' };

async function withoutRows(described: Promise<StatementDescription>): Promise<StatementDescription> {
  return { ...(await described), columns: undefined };
}

interface DescribedChange extends DescribedAs {
  /** The number of columns before those of RETURNING; undefined if there is no RETURNING. */
  readonly head?: number | undefined;
}

async function describeChange(
  run: StatementRun,
  query: ChangeQuery,
  { head, ...as }: DescribedChange,
): Promise<StatementDescription> {
  try {
    const { parameters, columns } = await describeQuery({ ...run, text: query.sql }, as);
    return { parameters, columns: head === undefined ? undefined : columns.slice(head) };
  } catch (error) {
    throw query.explain(error);
  }
}

/** Describes an INSERT: parameter types follow from their positions in the rows, columns from RETURNING. */
async function describeInsert(
  run: StatementRun,
  statement: InsertStatement,
  table: TableObject,
  snapshot: Snapshot,
): Promise<StatementDescription> {
  const query = insertQuery(statement, table, run.text);
  const asked = insertedColumns(statement, table).map(({ type }) => columnType(type));
  const rows = await describeChange(run, query, { asked, head: 0 });
  const conflicts = conflictScope(statement, table, { snapshot, database: run.sessionValues.database });
  if (statement.returning === undefined && conflicts === undefined) return { ...rows, columns: undefined };
  const isUpdating = conflicts?.clause.update !== undefined;
  const returning =
    conflicts === undefined
      ? query.returning(statement.returning ?? [], rows.columns)
      : conflictQuery(statement, table, conflicts, query.proposed(rows.columns), run.text);
  const returned = await describeChange(run, returning, {
    ...(isUpdating ? POSITIONS : {}),
    head: statement.returning && table.columns.length + (isUpdating ? 3 : 0),
  });
  const more = returned.parameters.filter(({ name }) => rows.parameters.every((p) => p.name !== name));
  return { ...returned, parameters: [...rows.parameters, ...more] };
}

/** @throws TesseraError UNDEFINED_TABLE */
async function withTable<T>(
  { snapshot, sessionValues }: StatementRun,
  name: ObjectName,
  work: (table: TableObject, snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const read = await snapshot();
  try {
    return await work(requireTable(read.snapshot, name, sessionValues.database), read.snapshot);
  } finally {
    read.release();
  }
}

const insertedColumns = ({ columns }: InsertStatement, table: TableObject): TableObject['columns'] =>
  columns === undefined
    ? table.columns
    : columns.flatMap((name) => table.columns.find((column) => column.name === name) ?? []);
