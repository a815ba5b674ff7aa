import { beforeAll, expect, test } from 'vitest';
import { RoundTrip } from '../testing/round-trip.ts';

let roundTrip: RoundTrip;
beforeAll(async () => {
  roundTrip = await RoundTrip.open(['CREATE TABLE t (a INTEGER)']);
});

test.each([
  'SELECT count(*) FROM t TABLESAMPLE 50%',
  'SELECT a FROM t TABLESAMPLE system(30%)',
  'SELECT a FROM t USING SAMPLE 3 ROWS',
  'SELECT a FROM t TABLESAMPLE bernoulli(10%) REPEATABLE (7)',
])('a sample stays one, where the kernel makes it a part of the scan too: %s', async (sql) => {
  expect(await roundTrip.rendered(sql, { tables: 'empty' })).toContain('USING SAMPLE');
});
