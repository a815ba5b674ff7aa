import { SeededRandom } from '@tessera/common';
import { expect, it } from 'vitest';
import { type Asked, TestNode } from '../testing/test-node.ts';

const SEED = Number(process.env.TESSERA_REUSE_SEED ?? 20261123);
const STEPS = Number(process.env.TESSERA_REUSE_STEPS ?? 60);

const DEFINITIONS = [
  'CREATE TABLE sales (id INT, shop INT, day DATE, amount NUMERIC(12, 2), note TEXT) PRIMARY INDEX shop',
  `INSERT INTO sales SELECT n, n % 20, DATE '2026-01-01' + (n % 90)::INT, n % 1000, 'note ' || n % 5
   FROM generate_series(1, 11000) AS g(n)`,
  'CREATE TABLE shops AS SELECT n AS id, n % 3 AS region FROM generate_series(0, 19) AS g(n)',
  'CREATE AGGREGATING INDEX by_shop ON sales (shop, count(*), sum(amount))',
  'CREATE VIEW totals AS SELECT shop, sum(amount) AS amount, count(*) AS n FROM sales GROUP BY shop',
];

/** Queries with one result each: every order is total. */
const QUERIES: readonly ((random: SeededRandom) => string)[] = [
  () => 'SELECT shop, count(*), sum(amount) FROM sales GROUP BY shop ORDER BY shop',
  (r) =>
    `SELECT count(*), min(note), max(day) FROM sales WHERE shop ${r.pick(['<', '>', '='])} ${r.between(1, 3)}`,
  () => 'SELECT region, sum(amount) FROM sales JOIN shops ON shops.id = shop GROUP BY region ORDER BY region',
  (r) => `SELECT * FROM totals WHERE n > ${100 * r.between(1, 6)} ORDER BY shop`,
  () => 'WITH d AS (SELECT day, sum(amount) AS a FROM sales GROUP BY day) SELECT avg(a), max(a) FROM d',
  (r) => `SELECT id, note FROM sales ORDER BY amount DESC, id LIMIT ${r.between(3, 5)}`,
  () => 'SELECT note, count(DISTINCT shop) FROM sales GROUP BY note HAVING count(*) > 10 ORDER BY note',
  () => 'SELECT (SELECT max(id) FROM sales) - count(*) FROM shops WHERE id IN (SELECT shop FROM sales)',
  () =>
    "SELECT date_trunc('month', day) AS m, count(*) FROM sales WHERE day < current_date GROUP BY m ORDER BY m",
  () => "SELECT count(*) FROM sales WHERE day::TIMESTAMPTZ >= '2026-02-01 00:00:00+00'",
];

const CHANGES: readonly ((random: SeededRandom, step: number) => string)[] = [
  (r, step) =>
    `INSERT INTO sales VALUES (${100_000 + step}, ${r.between(0, 19)}, '2026-02-03', ${step}, 'new')`,
  (r) => `UPDATE sales SET amount = amount + 1 WHERE shop = ${r.between(0, 19)}`,
  (r) => `DELETE FROM sales WHERE id = ${r.between(1, 11_000)}`,
  (r) => `UPDATE shops SET region = ${r.between(0, 2)} WHERE id = ${r.between(0, 19)}`,
  (_, step) =>
    `CREATE OR REPLACE VIEW totals AS SELECT shop, sum(amount) + ${step} AS amount, count(*) AS n FROM sales GROUP BY shop`,
  () => 'VACUUM sales',
];

const SETTINGS: readonly Asked['settings'][] = [{}, {}, { timezone: 'Asia/Tokyo' }, { max_result_rows: '2' }];

it(`${STEPS} random statements: queries with the cache return what they return without it (seed ${SEED})`, async () => {
  await using node = await TestNode.open({ resultCacheBytes: 1 << 20 });
  for (const sql of DEFINITIONS) await node.run(sql);
  const random = new SeededRandom(SEED);
  let transactionId: string | undefined;
  const log: string[] = [];

  let last = { sql: '', settings: {} };
  const compare = async (asked: Asked) => {
    // Users repeat their queries.
    if (last.sql === '' || random.chance(0.4)) {
      const indexes = random.chance(0.2) && { enable_aggregating_indexes: 'false' };
      last = { sql: random.pick(QUERIES)(random), settings: { ...random.pick(SETTINGS), ...indexes } };
    }
    const { sql, settings } = last;
    const withCache = await node.body(sql, { ...asked, settings });
    const without = await node.body(sql, {
      ...asked,
      settings: { ...settings, enable_result_cache: 'false' },
    });
    log.push(sql);
    expect(withCache, log.slice(-20).join(';\n')).toBe(without);
  };
  const toggleTransaction = async () => {
    const sql = transactionId === undefined ? 'BEGIN' : random.pick(['COMMIT', 'ROLLBACK']);
    // A transaction that conflicts with a commit of others ends nevertheless.
    const done = await node.run(sql, { transactionId: transactionId! }).catch(() => undefined);
    transactionId = done?.session?.kind === 'set' ? done.session.value : undefined;
    log.push(sql);
  };
  const change = async (step: number, asked: Asked) => {
    const sql = random.pick(CHANGES)(random, step);
    if (asked.transactionId !== undefined && sql.startsWith('VACUUM')) return;
    log.push(`${asked.transactionId === undefined ? '' : 'in the transaction: '}${sql}`);
    await node.finish(sql, asked);
  };

  for (let step = 0; step < STEPS; step++) {
    const isInside = transactionId !== undefined && random.chance(0.4);
    const asked: Asked = isInside ? { transactionId: transactionId! } : {};
    const kind = random.fraction();
    if (kind < 0.75) await compare(asked);
    else if (kind < 0.9) await change(step, asked);
    else await toggleTransaction();
  }
  if (transactionId !== undefined) await node.run('ROLLBACK', { transactionId });
  expect(node.coordinator.resultCache.hits).toBeGreaterThan(STEPS / 10);
});
