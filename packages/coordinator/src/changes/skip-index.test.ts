import { join } from 'node:path';
import { BOOTSTRAP_SCHEMA, type TableObject } from '@tessera/catalog';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSequence } from '../testing/run-sequence.ts';
import { TestNode } from '../testing/test-node.ts';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.open({ readsFiles: true });
});

afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

const all = async (...statements: string[]) => {
  for (const sql of statements) await node.run(sql);
};

interface Explained {
  readonly tables: readonly {
    readonly granules: number;
    readonly granules_pruned: number;
    readonly skip_indexes: readonly { readonly index: string; readonly granules_pruned: number }[];
  }[];
}

const explained = async (sql: string): Promise<Explained['tables'][number]> => {
  const [row] = await node.rows(`EXPLAIN (FORMAT JSON) ${sql}`);
  return (JSON.parse(String(row![0])) as Explained).tables[0]!;
};

const GRANULE = 2_048;
const OPTIONS = `PRIMARY INDEX id WITH (index_granularity = ${GRANULE})`;
/** The values of a granule are spread over the range of the column, so that minima and maxima exclude nothing. */
const rows = (from: number, n: number) =>
  `SELECT i::bigint, md5(i::text), ((i * 7919) % 100003)::int,
     CASE i % 4 WHEN 1 THEN 'a' WHEN 2 THEN 'z' WHEN 3 THEN 'c' || (i // ${GRANULE}) % 4 END,
     TIMESTAMPTZ '2024-01-01 00:00:00+00' + to_minutes(i * 7919 % 100003) FROM generate_series(${from}, ${from + n - 1}) AS g(i)`;

describe('a skip index', () => {
  beforeAll(async () => {
    await all(
      `CREATE TABLE s (id BIGINT, u TEXT, k INT, c TEXT, at TIMESTAMPTZ) ${OPTIONS}`,
      `INSERT INTO s ${rows(0, 5 * GRANULE)}`,
      'CREATE INDEX by_u ON s USING BLOOM_FILTER (u, k, at)',
      'CREATE INDEX IF NOT EXISTS by_c ON s USING SKIP_INDEX (c) WITH (TYPE = set, MAX_VALUES = 3)',
      `INSERT INTO s ${rows(5 * GRANULE, 3 * GRANULE)}`,
    );
  });

  it.each([
    ["SELECT id FROM s WHERE u = md5('3000')", 'by_u', 7],
    ["SELECT id FROM s WHERE u IN (md5('3000'), md5('12345'), 'none')", 'by_u', 6],
    ["SELECT id FROM s WHERE u = md5('3000') OR k = 12345 * 7919 % 100003", 'by_u', 6],
    ["SELECT id FROM s WHERE u = 'a: not there'", 'by_u', 8],
    [
      "SELECT id FROM s WHERE at = TIMESTAMPTZ '2024-01-01 05:30:00+00' + to_minutes(3000 * 7919 % 100003 - 330)",
      'by_u',
      7,
    ],
    ["SELECT id FROM s WHERE c = 'c1'", 'by_c', 6],
    ["SELECT id FROM s WHERE c > 'c1' AND c < 'd'", 'by_c', 4],
    ["SELECT id FROM s WHERE c IN ('c1', 'c3', 'c4')", 'by_c', 4],
  ])('%s skips granules', async (sql, index, pruned) => {
    const table = await explained(sql);
    expect(table).toMatchObject({ granules: 8, granules_pruned: pruned });
    expect(table.skip_indexes).toEqual([{ index, granules_pruned: pruned }]);
    const where = sql.slice(sql.indexOf('WHERE'));
    // In an expression, the columns have no conditions that could exclude a granule.
    const raw = where.replace(/\b(u|k|c|at)\b(?! TIME)/g, 'coalesce($1)');
    expect(await node.rows(`${sql} ORDER BY id`)).toEqual(
      await node.rows(`SELECT id FROM s ${raw} ORDER BY id`),
    );
  });

  it('is written by COPY too', async () => {
    const path = join(node.directory, 'files', 'copied.parquet');
    await all(
      `CREATE TABLE copied (id BIGINT, u TEXT, k INT, c TEXT, at TIMESTAMPTZ) ${OPTIONS}`,
      'CREATE INDEX copied_u ON copied USING BLOOM_FILTER (u)',
      `COPY (SELECT * FROM (${rows(0, 8 * GRANULE)}) AS q(id, u, k, c, at)) TO '${path}' WITH (TYPE = PARQUET)`,
      `COPY INTO copied FROM '${path}' WITH (TYPE = PARQUET)`,
    );
    expect(await explained("SELECT id FROM copied WHERE u = md5('3000')")).toMatchObject({
      granules: 8,
      skip_indexes: [{ index: 'copied_u', granules_pruned: 7 }],
    });
  });

  it('is cloned with its table', async () => {
    await node.run('CREATE TABLE s_clone CLONE s');
    expect(await explained("SELECT id FROM s_clone WHERE u = md5('3000')")).toMatchObject({
      granules_pruned: 7,
      skip_indexes: [{ index: 's_clone_by_u', granules_pruned: 7 }],
    });
    await node.run(`INSERT INTO s_clone ${rows(8 * GRANULE, 4 * GRANULE)}`);
    const sql = `SELECT id FROM s_clone WHERE u = md5('${9 * GRANULE}')`;
    expect(await explained(sql)).toMatchObject({ granules: 12, granules_pruned: 11 });
    expect(await node.rows(sql)).toEqual([[String(9 * GRANULE)]]);
    await node.run('DROP TABLE s_clone');
    expect(await explained("SELECT id FROM s WHERE u = md5('3000')")).toMatchObject({ granules_pruned: 7 });
  });

  it('works together with the primary index and other skip indexes, and is named by EXPLAIN', async () => {
    const sql = `SELECT id FROM s WHERE u = md5('3000') AND c = 'c2' AND id < ${4 * GRANULE}`;
    const table = await explained(sql);
    expect(table.skip_indexes).toEqual([
      { index: 'by_u', granules_pruned: 3 },
      { index: 'by_c', granules_pruned: 1 },
    ]);
    const [[text]] = (await node.rows(`EXPLAIN ${sql}`)) as [[string]];
    expect(text).toContain(
      'granules 0 of 5 (1 pruned by primary index and min/max, 3 by skip index by_u, 1 by skip index by_c)',
    );
    expect(await node.rows(sql)).toEqual([]);
    expect((await explained('SELECT id FROM s WHERE id = 7')).skip_indexes).toEqual([]);
    expect((await explained("SELECT id FROM s WHERE u > 'f'")).skip_indexes).toEqual([]);
  });

  it('is used by DELETE and UPDATE, and is correct after them and after VACUUM', async () => {
    await all(
      `CREATE TABLE m (id BIGINT, u TEXT, k INT, c TEXT, at TIMESTAMPTZ) ${OPTIONS}`,
      'CREATE INDEX m_u ON m USING SKIP_INDEX (u, k) WITH (TYPE = bloom_filter)',
      `INSERT INTO m ${rows(0, 4 * GRANULE)}`,
      `INSERT INTO m ${rows(4 * GRANULE, 4 * GRANULE)}`,
    );
    const of = (u: string) => `SELECT id, k FROM m WHERE u = ${u}`;
    await node.run("DELETE FROM m WHERE u = md5('100')");
    await node.run("UPDATE m SET u = 'changed', k = -1 WHERE u = md5('9000')");
    // The filters of the tablets stay; the updated row is in a tablet of its own, which has none.
    expect(await explained(of("md5('101')"))).toMatchObject({ granules_pruned: 7 });
    expect(await node.rows("SELECT id FROM m WHERE u = md5('100')")).toEqual([]);
    expect(await node.rows(of("'changed'"))).toEqual([['9000', -1]]);
    await node.run('VACUUM m');
    const found = await explained(of("'changed'"));
    expect(found.granules - found.granules_pruned).toBe(1);
    expect(found.skip_indexes[0]!.index).toBe('m_u');
    const [[filled, without]] = (await node.rows(
      `SELECT number_of_rows, rows_without_index FROM information_schema.indexes WHERE index_name = 'm_u'`,
    )) as [[string, string]];
    expect([Number(filled), Number(without)]).toEqual([found.granules, 0]);
    expect(await node.rows(of("'changed'"))).toEqual([['9000', -1]]);
  });

  it('is optional: if its objects are missing, the rows are read', async () => {
    await all(
      `CREATE TABLE lost (id BIGINT, u TEXT, k INT, c TEXT, at TIMESTAMPTZ) ${OPTIONS}`,
      `INSERT INTO lost ${rows(0, 16 * GRANULE)}`,
      'CREATE INDEX lost_u ON lost USING BLOOM_FILTER (u, k, at)',
    );
    const { manager, agent, store } = node.tables;
    const snapshot = await manager.latest();
    const table = snapshot.relation(BOOTSTRAP_SCHEMA.id, 'lost') as TableObject;
    const filters = snapshot.tablets(table.indexes[0]!.partials!.id);
    expect(filters).toMatchObject([{ partialOf: { tableId: table.id } }]);
    await store.delete(filters.map(({ key }) => key!));
    await agent.forget(filters);
    const sql = "SELECT id FROM lost WHERE u = md5('100')";
    expect(await explained(sql)).toMatchObject({ granules: 16, granules_pruned: 0 });
    expect(await node.rows(sql)).toEqual([['100']]);
  });

  it('is shown with its options, and removed by DROP INDEX', async () => {
    await all(
      'CREATE TABLE d (a INT, b TEXT)',
      'CREATE INDEX d_a ON d USING SKIP_INDEX (a) WITH (TYPE = bloom_filter, FALSE_POSITIVE_RATE = 0.05)',
      'CREATE INDEX d_b ON d USING SET (b, "a")',
    );
    const shown = () =>
      node.rows(
        "SELECT index_name, index_type, ddl FROM information_schema.indexes WHERE table_name = 'd' ORDER BY 1",
      );
    expect(await shown()).toEqual([
      [
        'd_a',
        'skip',
        'CREATE INDEX d_a ON public.d USING SKIP_INDEX(a) WITH (TYPE = bloom_filter, FALSE_POSITIVE_RATE = 0.05)',
      ],
      [
        'd_b',
        'skip',
        'CREATE INDEX d_b ON public.d USING SKIP_INDEX(b, "a") WITH (TYPE = set, MAX_VALUES = 256)',
      ],
    ]);
    await node.run('DROP INDEX d_a');
    expect(await shown()).toHaveLength(1);
    // A quoted name is written with twice its quotes in the index.
    await all('ALTER TABLE d ADD COLUMN "q""n" INT', 'CREATE INDEX d_q ON d USING SET ("q""n")');
    for (const column of ['b', '"q""n"'])
      await expect(node.run(`ALTER TABLE d DROP COLUMN ${column}`), column).rejects.toMatchObject({
        name: 'DEPENDENT_OBJECTS',
      });
  });

  it.each([
    ['lower(b)', 'bloom_filter over the expression lower(b)'],
    ['x', 'bloom_filter over column "x" of type DOUBLE'],
    ['l', 'bloom_filter over column "l" of type INTEGER[]'],
  ])('is refused for %s', async (expression, message) => {
    await node.run('CREATE TABLE IF NOT EXISTS no (b TEXT, x DOUBLE, l INT[])');
    await expect(node.run(`CREATE INDEX i ON no USING BLOOM_FILTER (${expression})`)).rejects.toMatchObject({
      name: 'NOT_SUPPORTED',
      message: expect.stringContaining(message),
    });
  });
});

/** Random changes of a table, after each of which conditions find the same rows with and without its skip indexes. */
describe('random changes', () => {
  const amount = fc.integer({ min: 1, max: 9 });
  const statement = fc.oneof(
    { weight: 3, arbitrary: amount.map((n) => `INSERT INTO r ${rows(n * 900, n * 700)}`) },
    { weight: 2, arbitrary: amount.map((n) => `DELETE FROM r WHERE k % 10 = ${n}`) },
    { weight: 1, arbitrary: amount.map((n) => `DELETE FROM r WHERE u = md5('${n * 1000}')`) },
    {
      weight: 2,
      arbitrary: amount.map((n) => `UPDATE r SET u = md5('${n}'), k = k + ${n} WHERE k % 20 = ${n}`),
    },
    {
      weight: 1,
      arbitrary: amount.map(
        (
          n,
        ) => `MERGE INTO r USING (SELECT md5('${n * 950}') AS u) s ON r.u = s.u WHEN MATCHED THEN UPDATE SET c = 'merged'
          WHEN NOT MATCHED THEN INSERT (id, u, k) VALUES (${n}, s.u, ${n})`,
      ),
    },
    { weight: 1, arbitrary: fc.constant('VACUUM r') },
    { weight: 2, arbitrary: fc.constantFrom('BEGIN', 'COMMIT', 'ROLLBACK') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'DROP INDEX IF EXISTS r_c',
        'CREATE INDEX IF NOT EXISTS r_c ON r USING SET (c)',
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'ALTER TABLE r ALTER COLUMN k TYPE BIGINT',
        'ALTER TABLE r ALTER COLUMN k TYPE INT',
      ),
    },
  );
  const find = (column: (name: string) => string) =>
    [
      `${column('u')} = md5('1000') OR ${column('k')} = 77`,
      `${column('u')} IN (md5('3'), md5('2850'), md5('9000'))`,
      `${column('c')} IN ('merged', 'c11')`,
      `${column('k')} = 1000 * 7919 % 100003 AND ${column('c')} <> 'a'`,
      `${column('at')} = TIMESTAMPTZ '2024-01-01 00:00:00+00' + to_minutes(2000 * 7919 % 100003)`,
    ].map((where) => `SELECT list(id ORDER BY id) FROM r WHERE ${where}`);

  it('leave the answers with and without skip indexes equal', async () => {
    let pruned = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { minLength: 5, maxLength: 8 }), async (statements) => {
        await all(
          'DROP TABLE IF EXISTS r',
          `CREATE TABLE r (id BIGINT, u TEXT, k INT, c TEXT, at TIMESTAMPTZ) ${OPTIONS}`,
          `INSERT INTO r ${rows(0, 3 * GRANULE)}`,
          'CREATE INDEX r_u ON r USING BLOOM_FILTER (u, k, at) WITH (FALSE_POSITIVE_RATE = 0.2)',
          'CREATE INDEX r_c ON r USING SET (c)',
        );
        await runSequence(node, statements, async (sql, inside) => {
          const raw = find((name) => `coalesce(${name})`);
          for (const [i, query] of find((name) => name).entries()) {
            pruned += (await explainedIn(query, inside)).granules_pruned;
            expect(
              await node.rows(query, inside),
              `${statements.join('; ')}: after ${sql}: ${query}`,
            ).toEqual(await node.rows(raw[i]!, inside));
          }
        });
      }),
      { numRuns: 2, seed: 20_26 },
    );
    // Indexes that exclude nothing would show nothing.
    expect(pruned).toBeGreaterThan(20);
  });

  const explainedIn = async (sql: string, inside: { readonly transactionId?: string }) => {
    const [row] = await node.rows(`EXPLAIN (FORMAT JSON) ${sql}`, inside);
    return (JSON.parse(String(row![0])) as Explained).tables[0]!;
  };
});
