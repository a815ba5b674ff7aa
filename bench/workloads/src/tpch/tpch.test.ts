import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  expectOfficialAnswers,
  expectOfficialTables,
  hasOfficialTpch,
  officialQuery,
} from '../testing/official-tpch.ts';
import { ParquetReader } from '../testing/parquet-reader.ts';
import { tpchStream } from './query-streams.ts';
import { tpch } from './tpch.ts';

/** The digests of the files that dbgen writes at scale 0.01. */
const DIGESTS = {
  region: 'c235841b00d29ad4f817771fcc851207',
  nation: '2f588e0b7fa72939b498c2abecd9fbbe',
  supplier: '56e0621c472064c2a998757c70b44043',
  customer: 'a8aa97edad6d47b183a569759fbd3eec',
  part: '9cce16188c241c25617ca5ed6191e37e',
  partsupp: 'c6889c3ed0939ca02475f7fb410cbb50',
  orders: 'c8d2008fb47f47f9e56543d4cb0f4e6a',
  lineitem: '3e03850e97ad5be6cf8ff55d0cbd067a',
};

/** Creating the text pool takes seconds on a busy machine. */
const GENERATE_MS = 120_000;
const root = mkdtempSync(join(tmpdir(), 'tessera-tpch-'));
const small = join(root, 'small');
let reader: ParquetReader;
const progress: string[] = [];

beforeAll(async () => {
  reader = await ParquetReader.open();
  mkdirSync(small);
  await tpch.generate({
    scale: 0.01,
    directory: small,
    threads: 2,
    onProgress: ({ table, fraction }) => progress.push(`${table} ${fraction}`),
  });
}, GENERATE_MS);
afterAll(async () => {
  await reader[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});

describe('TPC-H at scale 0.01', () => {
  it.each(Object.entries(DIGESTS))('%s has the rows that dbgen gives', async (table, digest) => {
    expect(await reader.dbgenDigest(join(small, `${table}.parquet`))).toBe(digest);
  });

  it('has the columns and types that it declares', async () => {
    for (const { name, columns } of tpch.tables)
      expect(
        await reader.rows(`SELECT column_name, column_type FROM (DESCRIBE '${small}/${name}.parquet')`),
      ).toEqual(columns.map(({ name, type }) => [name, DUCKDB_TYPES[type]]));
  });

  it('reports each table when it is complete', () => {
    expect(progress).toEqual(tpch.tables.map(({ name }) => `${name} 1`));
  });

  it.skipIf(!hasOfficialTpch)(
    'equals the official tables, value by value (skipped where they are absent)',
    () => expectOfficialTables(reader, small, 'sf0.01'),
  );

  it.skipIf(!hasOfficialTpch)('gives the official answers (skipped where they are absent)', () =>
    expectOfficialAnswers(reader, small, 'sf0.01'),
  );

  it.skipIf(!hasOfficialTpch)('has the official queries (skipped where they are absent)', async () => {
    for (const { name, sql } of tpch.queries) expect(sql).toBe(await officialQuery(name));
  });

  it('answers the queries of a stream', async () => {
    for (const { name } of tpch.tables)
      await reader.rows(`CREATE OR REPLACE VIEW ${name} AS SELECT * FROM '${small}/${name}.parquet'`);
    const rows = await Promise.all(
      tpchStream(1, 0.01, 1).map(async ({ sql }) => (await reader.rows(sql)).length),
    );
    expect(rows.filter((count) => count > 0).length).toBeGreaterThan(15);
  });
});

const DUCKDB_TYPES: Readonly<Record<string, string>> = {
  integer: 'INTEGER',
  bigint: 'BIGINT',
  'numeric(15,2)': 'DECIMAL(15,2)',
  date: 'DATE',
  text: 'VARCHAR',
};

it(
  'writes the same file with any number of threads',
  async () => {
    const files = [];
    for (const threads of [1, 3]) {
      const directory = join(root, `threads-${threads}`);
      mkdirSync(directory);
      await tpch.generate({ scale: 0.03, directory, tables: ['lineitem'], threads });
      expect(readdirSync(directory)).toEqual(['lineitem.parquet']);
      files.push(readFileSync(join(directory, 'lineitem.parquet')));
    }
    expect(files[0]!.equals(files[1]!)).toBe(true);
    const [[groups]] = (await reader.rows(
      `SELECT count(DISTINCT row_group_id) FROM parquet_metadata('${root}/threads-1/lineitem.parquet')`,
    )) as [[string]];
    expect(Number(groups)).toBeGreaterThan(1);
  },
  GENERATE_MS,
);

it('refuses scales and tables that do not exist', async () => {
  const generate = (scale: number, tables?: string[]): Promise<void> =>
    tpch.generate({ scale, directory: root, ...(tables && { tables }) });
  await expect(generate(0)).rejects.toThrow('not 0');
  await expect(generate(0.0015)).rejects.toThrow('three decimals, not 0.0015');
  await expect(generate(10_001)).rejects.toThrow('not 10001');
  await expect(generate(Number.NaN)).rejects.toThrow('not NaN');
  await expect(generate(1, ['region', 'customers'])).rejects.toThrow('TPC-H has no table customers');
});

it('fails where there is no directory', async () => {
  await expect(tpch.generate({ scale: 0.01, directory: join(root, 'absent') })).rejects.toThrow('ENOENT');
});
