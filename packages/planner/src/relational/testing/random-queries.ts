import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const GENERATOR = join(import.meta.dirname, '../../../../../../shared/tools/fuzzsql.mjs');

interface RandomQuery {
  /** The query, with marks around the parts that may be dropped. */
  readonly sql: string;
  readonly ordered: boolean;
}

/** The part of the external generator that is used here. */
interface Generator {
  makeSchema(seed: string): unknown;
  schemaSql(schema: unknown): string[];
  genQuery(schema: unknown, seed: string, dialect: 'duckdb'): RandomQuery;
  clean(sql: string): string;
}

export const generatorPresent = (): boolean => existsSync(GENERATOR);

/** Random tables and queries over them; the same seed gives the same queries. */
export async function randomQueries(
  seed: string,
  count: number,
): Promise<{
  readonly setup: readonly string[];
  readonly queries: readonly { readonly sql: string; readonly isOrdered: boolean }[];
}> {
  const { makeSchema, schemaSql, genQuery, clean } = (await import(
    pathToFileURL(GENERATOR).href
  )) as Generator;
  const schema = makeSchema(seed);
  const queries = Array.from({ length: count }, (_, i) => {
    const { sql, ordered } = genQuery(schema, `${seed}:${i}`, 'duckdb');
    return { sql: clean(sql), isOrdered: ordered };
  });
  return { setup: schemaSql(schema), queries };
}
