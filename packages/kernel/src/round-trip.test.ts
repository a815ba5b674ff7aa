import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KernelSession } from './client/kernel-session.ts';
import { messagesOf, schemaOf, type TestKernel, testKernel } from './testing/test-kernel.ts';

let t: TestKernel;
let source: KernelSession;
let target: KernelSession;

beforeAll(async () => {
  t = await testKernel();
  source = await t.kernel.session();
  target = await t.kernel.session();
});
afterAll(() => t[Symbol.asyncDispose]());

/** Expressions of various types over the row number `i`; `h` scatters it so that runs differ. */
const h = (seed: number) => `(hash(i + ${seed}) % 1000)::INTEGER`;
const leaf = fc
  .nat(1000)
  .chain((seed) =>
    fc.constantFrom(
      `(${h(seed)} % 100 - 50)::TINYINT`,
      `(${h(seed)} % 100)::UTINYINT`,
      `${h(seed)}::SMALLINT`,
      `hash(i + ${seed})::UBIGINT`,
      `(hash(i + ${seed})::HUGEINT * -1000000007)`,
      `(${h(seed)} / 8)::DECIMAL(6,3)`,
      `(${h(seed)} / 8)::DECIMAL(38,20)`,
      `(${h(seed)} / 7)::FLOAT`,
      `(CASE ${h(seed)} % 4 WHEN 0 THEN 'nan' WHEN 1 THEN 'inf' WHEN 2 THEN '-inf' ELSE '0.1' END)::DOUBLE`,
      `${h(seed)} % 2 = 0`,
      `repeat('é', ${h(seed)} % 20)`,
      `md5(i::VARCHAR)`,
      `md5(i::VARCHAR)::BLOB`,
      `md5(i::VARCHAR)::UUID`,
      `DATE '1970-01-01' + ${h(seed)} * 50`,
      `TIMESTAMP '1969-12-31 23:59:59' + to_microseconds(${h(seed)}::BIGINT * 12345678)`,
      `TIMESTAMPTZ '2020-01-01 00:00:00+00' + to_hours(${h(seed)})`,
      `to_months(${h(seed)}) + to_microseconds(${h(seed)})`,
      `TIME '00:00:00' + to_seconds(${h(seed)})`,
      `(['x', 'y', 'z'][1 + ${h(seed)} % 3])::ENUM('x', 'y', 'z')`,
    ),
  );
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc
      .tuple(tie('expression'), fc.nat(6))
      .map(([e, n]) => `list_transform(range(i % ${n + 1}), lambda _: ${e})`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `{'a': ${a}, 'b b': ${b}}`),
    tie('expression').map((e) => `MAP {i: ${e}}`),
    fc
      .tuple(tie('expression'), fc.integer({ min: 2, max: 9 }))
      .map(([e, n]) => `nullif_every(${e}, i, ${n})`),
  ),
}));

test('random types and rows survive a round trip', async () => {
  for (const session of [source, target]) {
    await session.execute('CREATE TEMP MACRO nullif_every(x, i, n) AS CASE WHEN i % n <> 0 THEN x END');
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(expression, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(0, 1, 7, 2048, 2049, 10_000),
      fc.integer({ min: 2, max: 5 }),
      async (expressions, rows, skip) => {
        const columns = expressions.map((e, c) => `${e} AS c${c}`).join(', ');
        const sql = `SELECT i, ${columns} FROM (SELECT range AS i FROM range(${rows})) WHERE i % ${skip} <> 1`;
        const result = await source.query(sql);
        await target.append('copy', schemaOf(result), messagesOf(result));
        try {
          expect((await target.describe('FROM copy')).columns).toEqual(result.columns);
          const text = (from: string) => `SELECT COLUMNS(*)::VARCHAR FROM ${from}`;
          for (const [a, b] of [
            [`(${sql})`, 'copy'],
            ['copy', `(${sql})`],
          ] as const) {
            expect(await target.scalar(`SELECT count(*) FROM (${text(a)} EXCEPT ALL ${text(b)})`)).toBe(0);
          }
        } finally {
          await target.execute('DROP TABLE copy');
        }
      },
    ),
    { numRuns: 60 },
  );
});
