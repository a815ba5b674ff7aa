import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  classifyStatement,
  type InsertStatement,
  insertQuery,
  plainValues,
  prepareQuery,
} from '../src/index.ts';
import { Dialect } from './dialect.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

/** A type of the kernel, with literals that are stored without being parsed as a query. */
const PLAIN: readonly (readonly [type: string, literals: readonly string[]])[] = [
  ['INTEGER', ['0', '-17', '2147483647', 'NULL', 'DEFAULT']],
  ['BIGINT', ['123456789012345678', '-1']],
  ['DOUBLE', ['1.5', '-0.1', '1234567.1234567', '3']],
  ['FLOAT', ['1.5', '0.1', '-3']],
  ['DECIMAL(38,9)', ['12345678901234567.123456789', '-0.000000001', '.5', '7.', '1.9999999999']],
  ['DECIMAL(4,1)', ['99.94', '-99.95', '1']],
  ['VARCHAR', ["''", "'it''s'", "'zażółć 🎉'", "'1'", "'\\x61'", "'a\nb'"]],
  ['BOOLEAN', ['true', 'FALSE']],
  ['DATE', ["'2024-02-29'", "DATE '2024-02-29'", "date'0044-03-15 (BC)'"]],
  ['TIMESTAMP', ["'2024-02-29 10:11:12.123456'", "TIMESTAMP '2024-02-29'"]],
  ['TIMESTAMP WITH TIME ZONE', ["'2024-02-29 10:11:12+02'", "'2024-02-29'"]],
];
const CASES = PLAIN.flatMap(([type, literals]) => literals.map((literal) => [literal, type] as const));

async function bothWays(literal: string, type: string) {
  const target = { name: 't', columns: [{ name: 'a', storedName: 'b', type, nullable: true }] };
  const sql = `INSERT INTO t VALUES (${literal})`;
  const insert = classifyStatement(sql) as InsertStatement;
  const query = insertQuery(insert, target, sql);
  const context = dialect.context();
  const queried = query.rows(await prepareQuery(query.sql, context));
  const value = (rows: string) =>
    context.session.scalar(`SELECT typeof(b) || ': ' || coalesce(b::VARCHAR, '-') FROM (${rows})`);
  return { plain: plainValues(insert, target, sql)?.sql, queried, value };
}

test.for(CASES)('%s as %s is the same without a query', async ([literal, type]) => {
  const { plain, queried, value } = await bothWays(literal, type);
  expect(plain).toBeDefined();
  expect(await value(plain!)).toBe(await value(queried));
});

test.for([
  ['1 + 1', 'INTEGER'],
  ['1e3', 'DOUBLE'],
  ["'\\x61'", 'BLOB'],
  ["'1'", 'INTEGER'],
  ['current_date', 'DATE'],
  ["E'a'", 'VARCHAR'],
  ['[1]', 'INTEGER[]'],
  ['1', 'VARCHAR'],
] as const)('%s as %s is left to the query', async ([literal, type]) => {
  const { plain } = await bothWays(literal, type);
  expect(plain).toBeUndefined();
});

test('rows of literals take time in proportion to their number', () => {
  const target = { name: 't', columns: [{ name: 'a', storedName: 'a', type: 'INTEGER', nullable: true }] };
  const milliseconds = (rows: number) => {
    const sql = `INSERT INTO t VALUES ${Array.from({ length: rows }, (_, i) => `(${i})`).join(',\n')}`;
    const once = () => {
      const before = process.cpuUsage();
      const insert = classifyStatement(sql) as InsertStatement;
      insertQuery(insert, target, sql);
      plainValues(insert, target, sql);
      return process.cpuUsage(before).user / 1000;
    };
    // Collections of garbage and other programs only add to the time.
    return Math.min(once(), once(), once());
  };
  // When each row was located separately, ten times the rows took a hundred times as long.
  expect(milliseconds(30_000)).toBeLessThan(40 * Math.max(5, milliseconds(3000)));
});
