import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type PlannedBy, RoundTrip } from './testing/round-trip.ts';
import { SHAPE_TABLES } from './testing/shape-tables.ts';

const DATA = process.env.TESSERA_TEST_DATA ?? join(import.meta.dirname, '../../../../../shared/data');
const SHAPES = join(import.meta.dirname, 'testing/shapes');

const PLANNED: readonly PlannedBy[] = [
  { tables: 'empty' },
  { tables: 'filled' },
  // Calls with constant arguments are not folded in this mode.
  { tables: 'empty', without: ['expression_rewriter'] },
];

describe('shapes of queries', () => {
  let roundTrip: RoundTrip;
  beforeAll(async () => {
    roundTrip = await RoundTrip.open(SHAPE_TABLES);
  });

  describe.each(readdirSync(SHAPES))('%s', (file) => {
    test.each(queriesIn(join(SHAPES, file)))('%s', async (sql) => {
      for (const by of PLANNED)
        expect(await roundTrip.difference(sql, by, sql.startsWith('-- in order'))).toBeUndefined();
    });
  });
});

describe.each(['tpch', 'tpcds'])('%s (skipped where the test data is absent)', (benchmark) => {
  const directory = join(DATA, benchmark);
  const isPresent = existsSync(directory);
  const queries = isPresent ? readdirSync(join(directory, 'queries')).filter((f) => f.endsWith('.sql')) : [];
  let roundTrip: RoundTrip;
  beforeAll(async () => {
    if (!isPresent) return;
    const files = readdirSync(join(directory, 'sf0.01')).filter((f) => f.endsWith('.parquet'));
    const tables = files.map(
      (f) => `CREATE TABLE ${f.replace('.parquet', '')} AS FROM '${join(directory, 'sf0.01', f)}'`,
    );
    roundTrip = await RoundTrip.open(tables);
  });

  test.skipIf(!isPresent).each(isPresent ? queries : ['no query: skipped, the test data is absent'])(
    '%s',
    async (file) => {
      const [sql = ''] = queriesIn(join(directory, 'queries', file));
      expect(await roundTrip.difference(sql, { tables: 'empty' })).toBeUndefined();
    },
  );
});

test('the kernel joins in the order of the plan, although it would choose another one', async () => {
  const roundTrip = await RoundTrip.open([
    'CREATE TABLE customers AS SELECT i AS id, i % 5 AS nation FROM range(3000) AS r(i)',
    'CREATE TABLE suppliers AS SELECT i AS id, i % 5 AS nation FROM range(200) AS r(i)',
    'CREATE TABLE orders AS SELECT i AS id, i % 3000 AS customer, i % 200 AS supplier FROM range(30000) AS r(i)',
  ]);
  const sql =
    'SELECT count(*) FROM customers c JOIN suppliers s ON c.nation = s.nation JOIN orders o ON o.customer = c.id AND o.supplier = s.id';
  const first = async (text: string) => {
    const { rows } = await roundTrip.rows(`EXPLAIN (FORMAT json) ${text}`);
    return firstJoined(JSON.parse(String(rows[0]![1])));
  };
  expect(await first(sql)).toEqual(['customers', 'orders']);
  expect(await first(await roundTrip.rendered(sql, { tables: 'empty' }))).toEqual(['orders', 'suppliers']);
});

interface Explained {
  readonly name: string;
  readonly children: readonly Explained[];
  readonly extra_info: { readonly Table?: string };
}

/** The tables of the join that is computed first. */
function firstJoined(plan: readonly Explained[]): readonly string[] {
  const all = (operator: Explained): readonly Explained[] => [operator, ...operator.children.flatMap(all)];
  const deepest = plan.flatMap(all).findLast(({ name }) => name === 'HASH_JOIN');
  return all(deepest!)
    .map(({ extra_info: { Table = '' } }) => Table.replace(/^.*\./, ''))
    .filter((table) => table !== '')
    .sort();
}

function queriesIn(file: string): readonly string[] {
  return readFileSync(file, 'utf8')
    .split(/;\s*(?:\n|$)/)
    .map((sql) => sql.trim())
    .filter((sql) => sql !== '');
}
