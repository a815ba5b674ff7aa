import type {
  Column,
  IndexPartials,
  ObjectId,
  SkipFilter,
  Snapshot,
  TableIndex,
  TableObject,
} from '@tessera/catalog';
import { NO_CHANGE, placeOf, requireTable } from '@tessera/catalog';
import { fail, nearestName, newUlid } from '@tessera/common';
import { quoteName } from '@tessera/kernel';
import { type CreateStatement, type DropStatement, indexShape, type SqlText } from '@tessera/sql';
import { orderOf } from '@tessera/tablet';
import type { Change, ChangeContext } from '../changes/change.ts';
import { describedQuery, queryInPlace } from '../changes/derived-query.ts';
import { withSession } from '../objects/definition-check.ts';
import { partialColumns } from '../read/index-coverage.ts';
import { columnOfExpression, storedFilterColumns } from '../read/skip-indexes.ts';

type CreateIndexStatement = Extract<
  CreateStatement,
  { kind: 'create_aggregating_index' | 'create_skip_index' }
>;

/**
 * Stores an index as part of its table's definition. The partial rows of an aggregating index, and the filters of a skip
 * index, are added by the commit (`withPartials`). A skip index of the type minmax stores nothing, because minima and
 * maxima are in every tablet anyway.
 */
export async function createIndex(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: CreateIndexStatement,
): Promise<Change> {
  const { name, ifNotExists } = statement;
  const table = requireTable(snapshot, statement.table, context.database);
  const indexName = name.parts.at(-1) ?? '';
  if (tableWithIndex(snapshot, table, indexName) !== undefined) {
    if (ifNotExists) return NO_CHANGE;
    fail('DUPLICATE_OBJECT', { what: 'Index', name: indexName }, { location: name.location });
  }
  await checkExpressions(context, snapshot, statement);
  const alteredAt = new Date().toISOString();
  const index: TableIndex = {
    name: indexName,
    kind: statement.kind === 'create_skip_index' ? 'skip' : 'aggregating',
    expressions: statement.expressions.map(({ sql }) => sql.trim()),
    createdAt: alteredAt,
    ...(statement.kind === 'create_aggregating_index'
      ? { partials: await partialsOf(context, table, statement) }
      : statement.filter && filtersOf(table, statement, statement.filter)),
  };
  if (index.kind === 'skip' && index.filter === undefined) noticeNoEffect(context, index);
  return {
    actions: [{ kind: 'alter', object: { ...table, alteredAt, indexes: [...table.indexes, index] } }],
  };
}

/**
 * The index of a table whose columns have other types now. What it stores is computed again by the commit.
 * @throws TesseraError for expressions that are not valid with these types
 */
export async function rebuiltIndex(
  context: ChangeContext,
  table: TableObject,
  index: TableIndex,
): Promise<TableIndex> {
  if (index.partials === undefined) return index;
  const text = index.expressions.join(', ');
  let offset = 0;
  const expressions = index.expressions.map((sql): SqlText => {
    const expression = { sql, offset };
    offset += sql.length + ', '.length;
    return expression;
  });
  if (index.filter !== undefined) return { ...index, ...filtersOf(table, { expressions }, index.filter) };
  const own = { ...context, run: { ...context.run, text } };
  return { ...index, partials: await partialsOf(own, table, { expressions }) };
}

/** @throws TesseraError NOT_SUPPORTED for expressions that an aggregating index cannot have */
async function partialsOf(
  context: ChangeContext,
  table: TableObject,
  { expressions }: Pick<CreateIndexStatement, 'expressions'>,
): Promise<IndexPartials> {
  const { keys, states } = await withSession(context, (session) =>
    indexShape(expressions, context.run.text, table, {
      session,
      settings: context.settings,
      sessionValues: context.sessionValues,
      parameters: [],
    }),
  );
  return { id: newUlid() as ObjectId, columns: partialColumns([...keys, ...states]) };
}

/** @throws TesseraError NOT_SUPPORTED for expressions that are not columns, and for types without filters */
function filtersOf(
  table: TableObject,
  { expressions }: Pick<CreateIndexStatement, 'expressions'>,
  filter: SkipFilter,
): Required<Pick<TableIndex, 'filter' | 'partials'>> {
  const columns = expressions.map(({ sql }): Column => {
    const column = columnOfExpression(table, sql.trim());
    if (column === undefined) {
      const what = `A skip index of the type ${filter.kind} over the expression ${sql.trim()}`;
      return fail('NOT_SUPPORTED', { what, hint: 'name columns of the table' });
    }
    const isFloat = column.type === 'DOUBLE' || column.type === 'FLOAT';
    if (orderOf(column.type) === undefined || (filter.kind === 'bloom_filter' && isFloat)) {
      const what = `A skip index of the type ${filter.kind} over column "${column.name}" of type ${column.type}`;
      fail('NOT_SUPPORTED', { what });
    }
    return column;
  });
  return { filter, partials: { id: newUlid() as ObjectId, columns: storedFilterColumns(filter, columns) } };
}

function noticeNoEffect({ run }: ChangeContext, { name }: TableIndex): void {
  run.query.notices.notice(
    `Skip index "${name}" changes nothing: every tablet has the minimum and maximum of every column already; TYPE = bloom_filter or TYPE = set adds filters`,
  );
}

/** Checks each expression as the only item of a query over the table, at its place in the statement. */
async function checkExpressions(
  context: ChangeContext,
  snapshot: Snapshot,
  { table, expressions }: CreateIndexStatement,
): Promise<void> {
  const { database, schema, name } = placeOf(snapshot, table, context.database);
  const from = [database.name, schema.name, name].map(quoteName).join('.');
  for (const { sql, offset } of expressions) {
    const { sql: inPlace } = queryInPlace({ sql, offset }, context.run.text);
    const query = {
      sql: `SELECT${inPlace.slice('SELECT'.length)}\nFROM ${from}`,
      explain: (e: unknown) => e,
    };
    await describedQuery(context, snapshot, query);
  }
}

/** The table that has an index with the given name; index names are unique within a schema. */
function tableWithIndex(
  snapshot: Snapshot,
  { schemaId }: Pick<TableObject, 'schemaId'>,
  name: string,
): TableObject | undefined {
  return snapshot
    .relations(schemaId)
    .filter((relation) => relation.kind === 'table')
    .find((table) => table.indexes.some((index) => index.name === name));
}

/** @throws TesseraError UNDEFINED_OBJECT */
export function dropIndex(
  context: ChangeContext,
  snapshot: Snapshot,
  { name, ifExists }: DropStatement,
): Change {
  const place = placeOf(snapshot, name, context.database);
  const table = tableWithIndex(snapshot, { schemaId: place.schema.id }, place.name);
  if (table === undefined) {
    if (ifExists) return NO_CHANGE;
    const names = snapshot
      .relations(place.schema.id)
      .flatMap((relation) => (relation.kind === 'table' ? relation.indexes.map((index) => index.name) : []));
    const nearest = nearestName(place.name, names);
    return fail(
      'UNDEFINED_OBJECT',
      { what: 'Index', name: place.name, nearest },
      { location: name.location },
    );
  }
  const indexes = table.indexes.filter((index) => index.name !== place.name);
  return {
    actions: [{ kind: 'alter', object: { ...table, alteredAt: new Date().toISOString(), indexes } }],
  };
}
