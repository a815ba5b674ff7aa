import { afterAll, describe, expect, it } from 'vitest';
import { readBack, tableOf, testTablets } from '../testing/test-tablets.ts';
import { orderOf } from './order.ts';
import { parseType } from './parse-type.ts';
import { storedType } from './stored-type.ts';

const tablets = await testTablets();
afterAll(() => tablets[Symbol.asyncDispose]());

/** Values as SQL literals for each type, including its edge cases. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  BOOLEAN: ['true', 'false'],
  TINYINT: ['-128', '127', '0'],
  SMALLINT: ['-32768', '32767'],
  INTEGER: ['-2147483648', '2147483647', '7'],
  BIGINT: ['-9223372036854775808', '9223372036854775807', '0', '9007199254740993'],
  HUGEINT: ['-170141183460469231731687303715884105728', '170141183460469231731687303715884105727', '5'],
  UHUGEINT: ['340282366920938463463374607431768211455', '0'],
  UTINYINT: ['255', '0'],
  USMALLINT: ['65535'],
  UINTEGER: ['4294967295', '0'],
  UBIGINT: ['18446744073709551615', '0', '9223372036854775808'],
  'DECIMAL(4,1)': ["'-999.9'", "'999.9'", "'0.1'"],
  'DECIMAL(9,2)': ["'-9999999.99'", "'0.05'"],
  'DECIMAL(18,3)': ["'-999999999999999.999'", "'0.001'", "'-0.5'"],
  'DECIMAL(38,0)': ["'-99999999999999999999999999999999999999'", "'1'"],
  'DECIMAL(38,9)': ["'99999999999999999999999999999.999999999'", "'-0.000000001'", "'123.45'"],
  FLOAT: ["'0.1'", "'0'", "'inf'", "'-inf'", "'3.4028235e38'", "'1e-45'"],
  DOUBLE: [
    "'0.1'",
    "'0'",
    "'inf'",
    "'-inf'",
    "'1.7976931348623157e308'",
    "'5e-324'",
    "'0.30000000000000004'",
  ],
  VARCHAR: [
    "''",
    "'ä'",
    "'🎉'",
    "'\uffff'",
    'chr(0)',
    "repeat('x', 64)",
    "repeat('x', 1000)",
    "repeat('🎉', 300)",
  ],
  BLOB: ["''", "'\\x00\\xFF'", "'a\\x5C'", "repeat('x', 1000)"],
  JSON: ['\'{"a": [1, null]}\'', "'null'", '\'"text"\''],
  BIT: ["'0'", "'10101010101010101'"],
  UUID: [
    "'00000000-0000-0000-0000-000000000000'",
    "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
    "'7fffffff-0000-0000-0000-000000000001'",
  ],
  DATE: [
    "'0001-01-01'",
    "'9999-12-31'",
    "'infinity'",
    "'-infinity'",
    "'0044-03-15 (BC)'",
    "'12345-06-07'",
    "'1969-12-31'",
  ],
  TIME: ["'00:00:00'", "'23:59:59.999999'", "'12:00:00.5'"],
  TIME_NS: ["'23:59:59.999999999'"],
  TIMETZ: ["'10:00:00+02'", "'10:00:00.123456-15:30'"],
  TIMESTAMP: [
    "'infinity'",
    "'-infinity'",
    "'1969-12-31 23:59:59.999999'",
    "'290309-12-22 (BC) 00:00:00'",
    "'2024-02-29 12:00:00.5'",
  ],
  TIMESTAMP_S: ["'2024-02-29 12:00:00'", "'1900-01-01 00:00:01'"],
  TIMESTAMP_MS: ["'2024-02-29 12:00:00.123'", "'1900-01-01 00:00:01'"],
  TIMESTAMP_NS: ["'2024-02-29 12:00:00.123456789'", "'1900-01-01 00:00:01'"],
  TIMESTAMPTZ: ["'infinity'", "'2024-02-29 12:00:00.5+05:30'", "'1890-01-01 00:00:00+00'"],
  INTERVAL: ["'1 year 2 months -3 days 04:05:06.789012'", "'-1 month'", "'00:00:00.000001'", "'-00:00:01.5'"],
  "ENUM('b', 'a', 'it''s')": ["'b'", "'a'", "'it''s'"],
};
const NESTED: Readonly<Record<string, readonly string[]>> = {
  'INTEGER[]': ['[1, NULL, 3]', '[]'],
  'HUGEINT[][]': ['[[170141183460469231731687303715884105727], NULL, []]'],
  'INTEGER[3]': ['[1, 2, NULL]'],
  'STRUCT(a INTEGER, "b c" HUGEINT)[]': ["[{'a': 1, 'b c': 5}, NULL, {'a': NULL, 'b c': NULL}]"],
  'MAP(VARCHAR, INTERVAL)': ["MAP {'k': INTERVAL '1 year 00:00:00.000001'}", 'MAP {}'],
  'STRUCT(t TIMESTAMPTZ, d DECIMAL(38,9))': ["{'t': '2024-01-01 00:00:00+00', 'd': 1.5}"],
};

/** A query with one row per literal, in order. */
const valuesOf = (type: string, literals: readonly string[]): string =>
  `SELECT v FROM (VALUES ${literals.map((literal) => `(CAST(${literal} AS ${type}))`).join(', ')}) AS t(v)`;

describe.each(Object.entries({ ...VALUES, ...NESTED }))('%s', (type, literals) => {
  const table = tableOf([['v', type]]);
  const sql = valuesOf(type, [...literals, 'NULL']);

  it('comes back from a tablet as it was', async () => {
    const written = await tablets.write(table, sql);
    expect(await tablets.rows(readBack(table, written))).toEqual(await tablets.rows(sql));
    const { columns } = await tablets.session.describe(readBack(table, written));
    expect(columns).toEqual((await tablets.session.describe(sql)).columns);
  });
});

describe.each(Object.entries(VALUES))('statistics of %s', (type, literals) => {
  it('are bounds of the values, exact where the text is short', async () => {
    const order = orderOf(type);
    for (const some of [literals, ...literals.map((literal) => [literal])]) {
      const sql = valuesOf(type, [...some, 'NULL']);
      const [written] = await tablets.write(tableOf([['v', type]]), sql);
      const [statistics] = written!.tablet.statistics;
      expect(statistics!.nulls).toBe(1);
      const texts = (await tablets.rows(`SELECT v FROM (${sql}) WHERE v IS NOT NULL ORDER BY v`)).map(
        ([v]) => v!,
      );
      const { min, max } = statistics!;
      if (order === undefined) expect([min, max]).toEqual([undefined, undefined]);
      for (const text of texts) {
        const value = order?.parse(text);
        if (min !== undefined) expect(order!.compare(order!.parse(min)!, value!)).toBeLessThanOrEqual(0);
        if (max !== undefined) expect(order!.compare(order!.parse(max)!, value!)).toBeGreaterThanOrEqual(0);
      }
    }
  });
});

describe.each(Object.entries(VALUES).filter(([type]) => orderOf(type) !== undefined))(
  'order of %s',
  (type, literals) => {
    it('is the order in which the kernel sorts', async () => {
      const sql = valuesOf(type, literals);
      const order = orderOf(type)!;
      const sorted = (await tablets.rows(`SELECT v FROM (${sql}) ORDER BY v`)).map(([v]) => v!);
      const placed = sorted.flatMap((text) => order.parse(text) ?? []);
      expect(placed.length).toBeGreaterThan(0);
      for (let i = 1; i < placed.length; i++)
        expect(order.compare(placed[i - 1]!, placed[i]!)).toBeLessThanOrEqual(0);
    });
  },
);

describe('types', () => {
  it.each(['UNION(a INTEGER, b VARCHAR)', 'STRUCT(a UNION(x INTEGER))[]', 'VARIANT', 'GEOMETRY'])(
    'that tablets cannot hold are refused: %s',
    (type) => {
      expect(() => storedType(type)).toThrow('is not supported');
    },
  );

  it('are read as SQL writes them', () => {
    expect(parseType('struct(a int, "b (c)" text[], d decimal(5, 2)) [ ] [ 3 ]')).toEqual({
      id: 'ARRAY',
      size: 3,
      child: {
        id: 'LIST',
        child: {
          id: 'STRUCT',
          fields: [
            { name: 'a', type: { id: 'INTEGER' } },
            { name: 'b (c)', type: { id: 'LIST', child: { id: 'VARCHAR' } } },
            { name: 'd', type: { id: 'DECIMAL', width: 5, scale: 2 } },
          ],
        },
      },
    });
    expect(parseType('TIMESTAMP  WITH TIME ZONE')).toEqual({ id: 'TIMESTAMPTZ' });
    expect(parseType('MAP(VARCHAR, BIGINT)')).toEqual({
      id: 'MAP',
      key: { id: 'VARCHAR' },
      value: { id: 'BIGINT' },
    });
    for (const none of ['', 'STRUCT(', 'DECIMAL(1,2', "'x'", 'INTEGER[', 'MAP(VARCHAR)', 'STRUCT(a)'])
      expect(parseType(none)).toBeUndefined();
  });
});
