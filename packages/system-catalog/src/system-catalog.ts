import { INFORMATION_SCHEMA } from '@tessera/catalog';
import { type KernelSession, quoteName } from '@tessera/kernel';
import { lookupRelation } from '@tessera/sql';
import type { SystemFacts } from './facts/system-facts.ts';
import type { SystemColumn, SystemRelation, SystemValue } from './facts/system-relation.ts';
import { informationSchemaRelation } from './information-schema/information-schema.ts';
import { withOwnRelations } from './own-relations.ts';
import { pgCatalogRelation } from './pg-catalog/pg-catalog.ts';
import { postgresFacts } from './pg-catalog/postgres-facts.ts';

/** Rows beyond this number go to the kernel in further statements. */
const ROWS_AT_ONCE = 20_000;

/** A relation in the form in which the kernel gets it. */
export interface EncodedRelation {
  /** The names and types of the columns, for CREATE TABLE. */
  readonly definitions: string;
  /** The first 20,000 rows; undefined if there are none. */
  readonly first: EncodedRows | undefined;
  /** The other rows, which are generated while they are read. */
  readonly rest: Iterable<EncodedRows>;
  /** Whether `first` has all rows. */
  readonly isWhole: boolean;
}

interface EncodedRows {
  /** A query that returns the rows. */
  readonly sql: string;
  readonly parameters: readonly string[];
}

export function encodedRelation({ columns, rows }: SystemRelation): EncodedRelation {
  const definitions = columns.map((c) => `${quoteName(c.name)} ${c.type}`).join(', ');
  const chunks = chunksOf(rows, columns.length);
  const first = chunks.next();
  if (first.done === true) return { definitions, first: undefined, rest: [], isWhole: true };
  const rest = chunks.map((chunk) => encodedRows(columns, chunk));
  const isWhole = first.value[0]!.length < ROWS_AT_ONCE;
  return { definitions, first: encodedRows(columns, first.value), rest, isWhole };
}

/** Creates a table with the columns and rows of a relation, in `temp` for the session alone. */
export async function createRelation(
  session: KernelSession,
  { database, name }: { readonly database: 'temp' | 'kept'; readonly name: string },
  { definitions, first, rest }: EncodedRelation,
): Promise<void> {
  const table = `${database}.main.${quoteName(name)}`;
  const kind = database === 'temp' ? 'TEMP TABLE' : 'TABLE';
  await session.execute(`CREATE ${kind} ${table} (${definitions})`);
  const insert = ({ sql, parameters }: EncodedRows) =>
    session.execute(`INSERT INTO ${table} ${sql}`, parameters);
  if (first !== undefined) await insert(first);
  for (const chunk of rest) await insert(chunk);
}

/** The values of at most `ROWS_AT_ONCE` rows at a time, by column. */
function* chunksOf(rows: SystemRelation['rows'], width: number): Generator<SystemValue[][], undefined> {
  const empty = () => Array.from({ length: width }, (): SystemValue[] => []);
  let chunk = empty();
  for (const row of rows) {
    for (const [i, values] of chunk.entries()) values.push(row[i] ?? null);
    if (chunk[0]!.length < ROWS_AT_ONCE) continue;
    yield chunk;
    chunk = empty();
  }
  if (chunk[0]!.length > 0) yield chunk;
}

function encodedRows(columns: readonly SystemColumn[], chunk: readonly SystemValue[][]): EncodedRows {
  // The rows are unnested, so that a column without values needs no list of NULLs; the first one gives their number.
  const lists = chunk.flatMap((values, i) => (i === 0 || values.some(isValue) ? [{ values, i }] : []));
  const positions = new Map(lists.map(({ i }, position) => [i, position]));
  const items = columns.map((column, i) => {
    const position = positions.get(i);
    return position === undefined ? 'NULL' : listOf(column, position);
  });
  return {
    sql: `SELECT ${items.join(', ')}`,
    parameters: lists.map(({ values }) => JSON.stringify(values)),
  };
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
