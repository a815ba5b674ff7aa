import { INFORMATION_SCHEMA } from '@tessera/catalog';
import { type KernelSession, quoteName } from '@tessera/kernel';
import type { SystemFacts } from './facts/system-facts.ts';
import type { SystemColumn, SystemRelation, SystemValue } from './facts/system-relation.ts';
import { informationSchemaRelation } from './information-schema/information-schema.ts';
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
  const insert = `INSERT INTO ${target} SELECT ${columns.map(listOf).join(', ')}`;
  let chunk = columns.map((): SystemValue[] => []);
  const flush = async () => {
    await session.execute(
      insert,
      chunk.map((values) => JSON.stringify(values)),
    );
    chunk = columns.map(() => []);
  };
  for (const row of rows) {
    for (const [i, values] of chunk.entries()) values.push(row[i] ?? null);
    if (chunk[0]!.length === ROWS_AT_ONCE) await flush();
  }
  if (chunk[0]!.length > 0) await flush();
}

/** The values of a column are passed as one JSON array in a parameter. */
function listOf({ type }: SystemColumn, index: number): string {
  const isTime = type === 'TIMESTAMP WITH TIME ZONE';
  const structure = type.endsWith('[]') ? `["${type.slice(0, -2)}"]` : `"${isTime ? 'VARCHAR' : type}"`;
  const list = `unnest(from_json($${index + 1}::VARCHAR, '[${structure}]'))`;
  return isTime ? `CAST(${list} AS ${type})` : list;
}

/** A relation of `information_schema` or `pg_catalog`; undefined if there is none of the name. */
export function systemRelation(
  { schema, name }: { readonly schema: string; readonly name: string },
  facts: SystemFacts,
): SystemRelation | undefined {
  if (schema === INFORMATION_SCHEMA) return informationSchemaRelation(name, facts);
  return pgCatalogRelation(name, postgresFacts(facts));
}

/** Whether the rows of a relation contain columns of views. */
export const readsViewColumns = ({
  schema,
  name,
}: {
  readonly schema: string;
  readonly name: string;
}): boolean =>
  schema === INFORMATION_SCHEMA ? name === 'columns' : name === 'pg_class' || name === 'pg_attribute';
