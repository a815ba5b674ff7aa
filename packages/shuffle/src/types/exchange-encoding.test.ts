import { asQueryId } from '@tessera/common';
import type { KernelSession } from '@tessera/kernel';
import { typeToSql } from '@tessera/kernel';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOf, openNode, type TestNode } from '../testing/shuffle-nodes.ts';

let a: TestNode;
let b: TestNode;
let session: KernelSession;
let tasks = 0;

beforeAll(async () => {
  [a, b] = await Promise.all([openNode(), openNode()]);
  session = await b.session();
});
afterAll(() => Promise.all([a.close(), b.close()]));

const { signal } = new AbortController();

/**
 * Transfers rows from one node to the other in two ranges of buckets, one of them inline, and compares them
 * with rows computed there.
 */
async function carry(sql: string, hashKeys: readonly number[]): Promise<void> {
  const { columns } = await session.describe(sql);
  const shape = { columns: columns.map(({ name, type }) => ({ name, type: typeToSql(type) })), hashKeys };
  const producer = keyOf(tasks++);
  const { rows, inline } = await a.shuffle.store(producer, await a.session(), sql, shape);
  const block = { producer, address: a.address, incarnation: a.shuffle.incarnation };
  const blocks = [
    { ...block, inline, buckets: [0, 300] as const },
    { ...block, buckets: [300, 1024] as const },
  ];
  const fetched = await b.shuffle.fetch(session, blocks, shape, signal);
  expect(fetched.rows).toBe(rows);
  expect((await session.describe(`FROM ${fetched.sql}`)).columns).toEqual(columns);
  const text = (from: string) => `SELECT COLUMNS(*)::VARCHAR FROM ${from}`;
  for (const [x, y] of [
    [`(${sql})`, fetched.sql],
    [fetched.sql, `(${sql})`],
  ] as const) {
    expect(await session.scalar(`SELECT count(*) FROM (${text(x)} EXCEPT ALL ${text(y)})`)).toBe(0);
  }
  await a.shuffle.release(asQueryId('query'));
}

const LONG = [
  'to_microseconds(9223372036854775807)',
  'to_microseconds(-9223372036854775807)',
  'to_months(-14) + to_days(3) + to_microseconds(-1)',
  'to_months(2147483647) + to_days(-2147483648)',
  "INTERVAL '30 days'",
  "INTERVAL '1 month'",
  "INTERVAL '24 hours'",
];
const VALUES = [
  "'340282366920938463463374607431768211455'::UHUGEINT",
  "'-170141183460469231731687303715884105728'::HUGEINT",
  '170141183460469231731687303715884105727::HUGEINT',
  "'-99999999999999999999999999999999999999999999999999999'::BIGNUM",
  "'0010100110'::BIT",
  "'1'::BIT",
  "'12:34:56.789012+15:59:59'::TIMETZ",
  "'00:00:00-15:59:59'::TIMETZ",
  "'24:00:00'::TIME",
  "'12:34:56.789012345'::TIME_NS",
  ...LONG,
  "'2000-01-01 00:00:01'::TIMESTAMP_S",
  "'2000-01-01 00:00:00.123'::TIMESTAMP_MS",
  "'1677-09-22 00:12:43.145224193'::TIMESTAMP_NS",
  "'290309-12-22 (BC) 00:00:00'::TIMESTAMP",
  "'infinity'::TIMESTAMPTZ",
  "'-infinity'::DATE",
  "'nan'::DOUBLE",
  "'-0.0'::DOUBLE",
  "'-inf'::FLOAT",
  "'a' || chr(0) || 'b'",
  "'\\x00\\xFF'::BLOB",
  "''",
  'md5(i::VARCHAR)::UUID',
  "'b'::ENUM('a', 'b')",
  '\'{"a": [1, null]}\'::JSON',
  '99999999999999999999999999999999999999::DECIMAL(38,0)',
  '-0.5::DECIMAL(4,4)',
  '[]::INTEGER[]',
  "'POINT(1.1 2)'::GEOMETRY",
  "[INTERVAL '1 month', NULL]",
  '[to_microseconds(9223372036854775807), NULL]::INTERVAL[2]',
  "{'a': INTERVAL '1 month', 'b c': NULL::INTERVAL, 'd': {'e': [INTERVAL '30 days']}}",
  "MAP {INTERVAL '1 month': '101'::BIT, INTERVAL '2 months': NULL}",
  "MAP {'x': [to_days(i::INTEGER)]}",
  'union_value(a := to_days(i::INTEGER))::UNION(a INTERVAL, b VARCHAR)',
  'union_value(b := NULL::VARCHAR)::UNION(a INTERVAL, b VARCHAR)',
  "[union_value(a := 5::UHUGEINT)::UNION(a UHUGEINT, b ENUM('x', 'y'))]",
  "{'u': 7::UHUGEINT, 'h': i::HUGEINT, 'e': 'y'::ENUM('x', 'y'), 'g': md5('x')::UUID}",
  'MAP {i::HUGEINT: 7::UHUGEINT}',
];

describe('values keep type and value', () => {
  it.each(VALUES)('%s', async (value) => {
    const some = `list_extract(CASE WHEN i % 3 <> 1 THEN [${value}] END, 1)`;
    await carry(`SELECT i, ${some} AS v, ${value} AS w FROM range(5000) AS t(i)`, [1]);
    await carry(`SELECT ${value} AS w FROM range(5) AS t(i) WHERE false`, [0]);
  });
});

/** Expressions of various types over the row number `i`; `h` scatters it so that runs differ. */
const h = (seed: number) => `(hash(i + ${seed}) % 1000)::INTEGER`;
const leaf = fc
  .nat(1000)
  .chain((seed) =>
    fc.constantFrom(
      `hash(i + ${seed})::UHUGEINT * 1000000007`,
      `hash(i + ${seed})::HUGEINT * -1000000007`,
      `${h(seed)}::BIT`,
      `${h(seed)}::BIGNUM`,
      `to_months(${h(seed)} - 500) + to_days(${h(seed)} - 500) + to_microseconds((${h(seed)} - 500) * 9000000000000000)`,
      `('12:00:00+' || lpad((${h(seed)} % 16)::VARCHAR, 2, '0'))::TIMETZ`,
      `(['x', 'y', 'z'][1 + ${h(seed)} % 3])::ENUM('x', 'y', 'z')`,
      `(${h(seed)} / 8)::DECIMAL(38,20)`,
      `md5(i::VARCHAR)::UUID`,
      `repeat('é', ${h(seed)} % 20)`,
      `${h(seed)} % 2 = 0`,
      `make_timestamp_ns(${h(seed)}::BIGINT * 123456789)`,
      `TIMESTAMPTZ '2020-01-01 00:00:00+00' + to_hours(${h(seed)})`,
    ),
  );
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc
      .tuple(tie('expression'), fc.nat(6))
      .map(([e, n]) => `list_transform(range(i % ${n + 1}), lambda _: ${e})`),
    fc.tuple(tie('expression'), tie('expression')).map(([x, y]) => `{'a': ${x}, 'b b': ${y}}`),
    fc.tuple(leaf, tie('expression')).map(([k, e]) => `MAP {${k}: ${e}}`),
    tie('expression').map((e) => `array_value(${e}, ${e})`),
    tie('expression').map((e) => `union_value("m 1" := ${e})`),
    fc
      .tuple(tie('expression'), fc.integer({ min: 2, max: 9 }))
      .map(([e, n]) => `list_extract(CASE WHEN i % ${n} <> 0 THEN [${e}] END, 1)`),
  ),
}));

it('random nested values survive a round trip', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(expression, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(1, 7, 2048, 3000),
      async (expressions, rows) => {
        const columns = expressions.map((e, c) => `${e} AS c${c}`).join(', ');
        await carry(`SELECT i, ${columns} FROM (SELECT range AS i FROM range(${rows}))`, [1]);
      },
    ),
    { numRuns: 40 },
  );
}, 180_000);
