import { fuzzGenerator, fuzzToolPresent } from '../fuzz-tool.ts';
import type { PlainDuckDb } from '../sqllogic/plain-duckdb.ts';
import { RandomChoice } from './random-choice.ts';
import { QueryMaker, type RandomQuery } from './random-query.ts';
import { randomTables } from './random-tables.ts';
import { relaxed } from './reduced.ts';

/** The tables of one seed, and queries over them. */
export interface QuerySource {
  readonly tables: readonly string[];
  /** SQL of plain DuckDB that creates them. Each has a unique column `id`. */
  readonly definitions: readonly string[];
  query(seed: string): Promise<RandomQuery>;
}

export type SourceName = 'own' | 'tool';

/** The available generators: the one in this directory, and the external one if it is present. */
export const sourceNames = (): SourceName[] => (fuzzToolPresent() ? ['own', 'tool'] : ['own']);

export async function openSource(
  name: SourceName,
  seed: string,
  reference: PlainDuckDb,
): Promise<QuerySource> {
  if (name === 'own') {
    const givesRows = async (sql: string) =>
      reference.run(sql).then(
        ({ rows }) => rows.length > 0,
        () => true,
      );
    const tables = randomTables(seed);
    return {
      tables: tables.map((table) => table.name),
      definitions: tables.map(({ sql }) => sql),
      query: async (querySeed) => {
        const { sql, ordered } = new QueryMaker(new RandomChoice(querySeed), tables).query();
        return { sql: await relaxed(sql, givesRows), ordered };
      },
    };
  }
  const { makeSchema, schemaSql, genQuery, relax } = await fuzzGenerator();
  const schema = makeSchema(seed);
  // The generator only uses the number of rows.
  const executor = {
    name: 'duckdb',
    execute: async (sql: string) => {
      const { columns, rows } = await reference.run(sql);
      return { columns: [...columns], rows: rows as (string | null)[][] };
    },
    close: async () => {},
  };
  return {
    tables: schema.tables.map((table) => table.name),
    definitions: schemaSql(schema),
    query: (querySeed) => relax(genQuery(schema, querySeed, 'duckdb'), executor),
  };
}
