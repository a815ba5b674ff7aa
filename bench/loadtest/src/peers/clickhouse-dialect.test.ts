import { expect, test } from 'vitest';
import { clickHouseType, clickHouseWays } from './clickhouse-dialect.ts';

test.for([
  ['integer', false, 'Int32'],
  ['bigint', true, 'Nullable(Int64)'],
  ['numeric(15,2)', false, 'Decimal(15, 2)'],
  ['double precision', false, 'Float64'],
  ['date', true, 'Nullable(Date32)'],
  ['char(10)', false, 'String'],
] as const)('%s, nullable: %s, is %s', ([type, nullable, expected]) => {
  expect(clickHouseType(type, nullable)).toBe(expected);
});

test('numbers with a point are decimals, outside of quotes, comments and names', () => {
  const sql = `SELECT 0.05, t1.5, '0.5', "0.5", 1e5, 7 -- 0.5\n, 10.250`;
  expect(clickHouseWays(sql)[0]).toBe(
    `SELECT toDecimal64('0.05', 2), t1.5, '0.5', "0.5", 1e5, 7 -- 0.5\n, toDecimal64('10.250', 3)`,
  );
  expect(clickHouseWays('SELECT 1')).toContain('SELECT 1 SETTINGS prefer_column_name_to_alias = 0');
});
