import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const GENERATOR = join(import.meta.dirname, '../../../../../../shared/tools/fuzzsql.mjs');

interface RandomQuery {
  /** Still with marks around the parts that may be dropped. */
  readonly sql: string;
  readonly ordered: boolean;
}

/** What is used here of the generator outside this repository. */
interface Generator {
  makeSchema(seed: string): unknown;
  schemaSql(schema: unknown): string[];
  genQuery(schema: unknown, seed: string, dialect: 'duckdb'): RandomQuery;
  clean(sql: string): string;
}

export const generatorPresent = (): boolean => existsSync(GENERATOR);

/** Random tables, and queries over them; the same for the same seed. */
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
