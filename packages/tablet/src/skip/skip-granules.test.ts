import { quoteText } from '@tessera/kernel';
import { afterAll, describe, expect, it } from 'vitest';
import type { Comparison, Conjunct } from '../predicate.ts';
import { tableOf, testTablets } from '../testing/test-tablets.ts';
import {
  bloomBits,
  bloomFilterSql,
  bloomHas,
  type GranuleFilter,
  hashesSql,
  valueSet,
  valueSetSql,
} from './granule-filter.ts';
import { decidedConditions, granuleTest, hashedConstants } from './skip-granules.ts';

const tablets = await testTablets();
afterAll(() => tablets[Symbol.asyncDispose]());

const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  BIGINT: ['-3', '0', '7', '9223372036854775807'],
  INTEGER: ['-3', '0', '1', '100'],
  HUGEINT: ['0', '170141183460469231731687303715884105727'],
  VARCHAR: ['', 'a', ' a', 'é', '🎉', "it''s", `${'long'.repeat(40)}a`, `${'long'.repeat(40)}b`],
  'DECIMAL(18,2)': ['-1.00', '0.05', '12345678901234.56'],
  DATE: ['2024-02-29', '0044-03-15 (BC)', 'infinity', '12024-01-01'],
  TIMESTAMP: ['2024-01-01 00:00:00', '2024-01-01 00:00:00.000001', '-infinity'],
  TIMESTAMPTZ: ['2024-01-01 00:00:00+00', '2024-01-01 03:00:00+02', 'infinity'],
  BOOLEAN: ['true', 'false'],
  UUID: ['00000000-0000-0000-0000-000000000001', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  BLOB: ['ab', '\\x00\\xFF'],
};
const OPERATORS: readonly Comparison['operator'][] = ['=', '<>', '<', '<=', '>', '>='];

const valuesSql = (type: string, values: readonly string[]) =>
  `(SELECT CAST(v AS ${type}) AS c FROM (VALUES (NULL), ${values.map((v) => `('${v}')`).join(', ')}) AS t(v))`;
const texts = (values: readonly string[]) => values.map((value) => value.replaceAll("''", "'"));

async function hashes(type: string, values: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  if (values.length === 0) return new Map();
  const answer = await tablets.session.scalar(hashesSql(type), [JSON.stringify(values)]);
  const list = String(answer).split(',').map(BigInt);
  return new Map(values.map((value, i) => [value, list[i]!]));
}

async function filter(kind: GranuleFilter['kind'], type: string, values: readonly string[]) {
  const sql =
    kind === 'set'
      ? valueSetSql('c', 100)
      : `to_base64(${bloomFilterSql('c', bloomBits(values.length, 0.001))})`;
  const stored = String(await tablets.session.scalar(`SELECT ${sql} FROM ${valuesSql(type, values)}`));
  return kind === 'set'
    ? valueSet(stored, type)
    : ({ kind, bits: Buffer.from(stored, 'base64') } satisfies GranuleFilter);
}

describe.each(Object.entries(COLUMNS))('filters of %s', (type, written) => {
  const values = texts(written);
  const table = tableOf([['c', type]]);

  it.each(['bloom_filter', 'set'] as const)(
    'of the kind %s let every value pass, and few others',
    async (kind) => {
      for (const [i, value] of values.entries()) {
        const kinds = new Map([['c', kind]]);
        const without = await filter(
          kind,
          type,
          written.filter((_, j) => j !== i),
        );
        const alone = await filter(kind, type, [written[i]!]);
        for (const operator of OPERATORS) {
          const filters: Conjunct[][] = [[{ kind: 'compare', column: 'c', operator, value }]];
          const decided = decidedConditions(filters, kinds);
          expect(decided).toHaveLength(kind === 'set' || operator === '=' ? 1 : 0);
          const constants = hashedConstants(decided, kinds);
          const known = new Map([['c', await hashes(type, constants.get('c') ?? [])]]);
          const mayHave = granuleTest(table, filters, constants.size > 0 ? known : new Map());
          const holds = async (of: readonly string[]) =>
            (await tablets.session.scalar(
              `SELECT count(*)::INTEGER FROM ${valuesSql(type, of)} WHERE c ${operator} CAST(${quoteText(value)} AS ${type})`,
            )) !== 0;
          for (const [granule, of] of [
            [alone, [written[i]!]],
            [without, written.filter((_, j) => j !== i)],
          ] as const) {
            const isPossible = mayHave(new Map([['c', granule]]));
            if (await holds(of)) expect(isPossible, `${operator} ${value}`).toBe(true);
            else if (operator === '=') expect(isPossible, `${operator} ${value}`).toBe(false);
          }
        }
      }
    },
  );
});

describe('Bloom filters', () => {
  it.each([0.1, 0.01, 0.001])('have the requested rate of false positives: %f', async (rate) => {
    const rows = 2_000;
    const bits = bloomBits(rows, rate);
    const stored = await tablets.session.scalar(
      `SELECT to_base64(${bloomFilterSql('c', bits)}) FROM (SELECT 'in ' || i AS c FROM range(${rows}) AS t(i))`,
    );
    const filterBits = Buffer.from(String(stored), 'base64');
    expect(filterBits.length * 8).toBe(bits);
    const absent = Array.from({ length: 20_000 }, (_, i) => `out ${i}`);
    const found = [...(await hashes('VARCHAR', absent)).values()].filter((hash) =>
      bloomHas(filterBits, hash),
    );
    expect(found.length / absent.length).toBeLessThan(rate * 1.5 + 0.0003);
  });
});

describe('conditions', () => {
  const table = tableOf([
    ['a', 'VARCHAR'],
    ['b', 'INTEGER'],
  ]);
  const kinds = new Map([
    ['a', 'bloom_filter'],
    ['b', 'set'],
  ] as const);
  const is = (column: string, value: string): Conjunct => ({ kind: 'compare', column, operator: '=', value });
  const set = (...values: number[]): GranuleFilter => ({ kind: 'set', values });

  it('are decided only if every reference to the table has one', () => {
    expect(decidedConditions([[is('a', 'x')], [is('c', 'y')]], kinds)).toEqual([]);
    expect(decidedConditions([[is('a', 'x')], [is('b', '1'), is('c', 'y')]], kinds)).toHaveLength(2);
    const or: Conjunct = { kind: 'or', branches: [[is('b', '1')], [is('c', 'y')]] };
    expect(decidedConditions([[or]], kinds)).toEqual([]);
    expect(decidedConditions([[{ kind: 'null', column: 'b', isNull: true }]], kinds)).toEqual([]);
  });

  it('hold if one of several branches or references may hold', () => {
    const above = { kind: 'compare', column: 'b', operator: '>', value: '1' } as const;
    const below = { ...above, operator: '<', value: '3' } as const;
    const or: Conjunct = { kind: 'or', branches: [[above, below], [is('b', '3')]] };
    const mayHave = granuleTest(table, [[or], [is('b', '9'), is('a', 'x')]], new Map());
    for (const [values, expected] of [
      [[2], true],
      // One value is above, another one below.
      [[0, 4], false],
      [[3], true],
      [[9], true],
      [[], false],
    ] as const) {
      expect(mayHave(new Map([['b', set(...values)]])), String(values)).toBe(expected);
    }
    expect(mayHave(new Map())).toBe(true);
  });

  it('ask for any of the values of a list', () => {
    const mayHave = granuleTest(table, [[{ kind: 'in', column: 'b', values: ['4', '5'] }]], new Map());
    expect([set(3, 6), set(5)].map((granule) => mayHave(new Map([['b', granule]])))).toEqual([false, true]);
  });
});

describe('sets', () => {
  it('that are too large are not stored', async () => {
    const stored = (rows: number, text: string) =>
      tablets.session.scalar(
        `SELECT ${valueSetSql('c', 100)} FROM (SELECT ${text} AS c FROM range(${rows}) AS t(i))`,
      );
    expect(JSON.parse(String(await stored(100, 'i')))).toHaveLength(100);
    expect(await stored(101, 'i')).toBeNull();
    expect(await stored(100, "i || repeat('x', 1000)")).toBeNull();
    expect(await stored(1, 'NULL')).toBeNull();
  });
});
