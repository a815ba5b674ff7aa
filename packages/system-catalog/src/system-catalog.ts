import { INFORMATION_SCHEMA } from '@tessera/catalog';
import { type KernelSession, quoteName } from '@tessera/kernel';
import { lookupRelation } from '@tessera/sql';
import type { SystemFacts } from './facts/system-facts.ts';
import type { SystemColumn, SystemRelation, SystemValue } from './facts/system-relation.ts';
import { informationSchemaRelation } from './information-schema/information-schema.ts';
import { withOwnRelations } from './own-relations.ts';
import { pgCatalogRelation } from './pg-catalog/pg-catalog.ts';
import { postgresFacts } from './pg-catalog/postgres-facts.ts';

const ROWS_AT_ONCE = 20_000;

/** Creates the temp table `table` of the session with the columns and rows of a view. */
export async function loadSystemRelation(
  session: KernelSession,
  table: string,
  { columns, rows }: SystemRelation,
): Promise<void> {
  const target = `temp.${quoteName(table)}`;
  const list = columns.map((c) => `${quoteName(c.name)} ${c.type}`).join(', ');
  await session.execute(`CREATE TEMP TABLE ${quoteName(table)} (${list})`);
  let chunk = columns.map((): SystemValue[] => []);
  const flush = async () => {
    // The rows are unnested, so that a column without values needs no list of NULLs; the first one gives their number.
    const lists = chunk.flatMap((values, i) => (i === 0 || values.some(isValue) ? [{ values, i }] : []));
    const positions = new Map(lists.map(({ i }, position) => [i, position]));
    const items = columns.map((column, i) => {
      const position = positions.get(i);
      return position === undefined ? 'NULL' : listOf(column, position);
    });
    await session.execute(
      `INSERT INTO ${target} SELECT ${items.join(', ')}`,
      lists.map(({ values }) => JSON.stringify(values)),
    );
    chunk = columns.map(() => []);
  };
  for (const row of rows) {
    for (const [i, values] of chunk.entries()) values.push(row[i] ?? null);
    if (chunk[0]!.length === ROWS_AT_ONCE) await flush();
  }
  if (chunk[0]!.length > 0) await flush();
}

const isValue = (value: SystemValue): boolean => value !== null && value !== undefined;

/** The values of a column are passed as one JSON array in a parameter. */
function listOf({ type }: SystemColumn, index: number): string {
  const isTime = type === 'TIMESTAMP WITH TIME ZONE';
  const structure = type.endsWith('[]') ? `["${type.slice(0, -2)}"]` : `"${isTime ? 'VARCHAR' : type}"`;
  const list = `unnest(from_json($${index + 1}::VARCHAR, '[${structure}]'))`;
  return isTime ? `CAST(${list} AS ${type})` : list;
}

/** A relation of `information_schema` or `pg_catalog`; undefined if none has the name. */
export function systemRelation(
  { schema, name }: { readonly schema: string; readonly name: string },
  facts: SystemFacts,
): SystemRelation | undefined {
  if (schema !== INFORMATION_SCHEMA) return pgCatalogRelation(name, postgresFacts(facts));
  const view = informationSchemaRelation(name, facts);
  return view && withOwnRelations(name, view, facts);
}

/** Whether the rows of a relation contain columns of views. */
export const readsViewColumns = ({
  schema,
  name,
}: {
  readonly schema: string;
  readonly name: string;
}): boolean => (schema === INFORMATION_SCHEMA ? name === 'columns' : WITH_VIEW_COLUMNS.has(name));

const WITH_VIEW_COLUMNS: ReadonlySet<string> = new Set([
  ...['pg_class', 'pg_attribute'],
  lookupRelation('column_exists'),
]);
