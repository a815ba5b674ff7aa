import { atOnce } from '@tessera/common';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  classifyStatement,
  type InsertStatement,
  insertQuery,
  plainValues,
  prepareQuery,
  type QueryParameter,
  type SqlType,
} from '../src/index.ts';
import { Dialect } from './dialect.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

/** A type of the kernel, with literals that are stored without being parsed as a query. */
const PLAIN: readonly (readonly [type: string, literals: readonly string[]])[] = [
  ['INTEGER', ['0', '-17', '2147483647', 'NULL', 'DEFAULT', "'42'", "'-7'"]],
  ['BIGINT', ['123456789012345678', '-1', "'123456789012345678'"]],
  ['DOUBLE', ['1.5', '-0.1', '1234567.1234567', '3', "'0.1'", "'-12'"]],
  ['FLOAT', ['1.5', '0.1', '-3']],
  ['DECIMAL(38,9)', ['12345678901234567.123456789', '-0.000000001', '.5', '7.', '1.9999999999']],
  ['DECIMAL(4,1)', ['99.94', '-99.95', '1', "'1.25'", "'-1.35'", "'.05'"]],
  ['VARCHAR', ["''", "'it''s'", "'zażółć 🎉'", "'1'", "'\\x61'", "'a\nb'"]],
  ['BOOLEAN', ['true', 'FALSE']],
  ['DATE', ["'2024-02-29'", "DATE '2024-02-29'", "date'0044-03-15 (BC)'"]],
  ['TIMESTAMP', ["'2024-02-29 10:11:12.123456'", "TIMESTAMP '2024-02-29'"]],
  ['TIMESTAMP WITH TIME ZONE', ["'2024-02-29 10:11:12+02'", "'2024-02-29'"]],
];
const CASES = PLAIN.flatMap(([type, literals]) => literals.map((literal) => [literal, type] as const));

/** Inserts a literal, or a parameter `$1`, into a column of a type: without a query, and with one. */
async function bothWays(literal: string, type: string, parameters: readonly QueryParameter[] = []) {
  const target = { name: 't', columns: [{ name: 'a', storedName: 'b', type, nullable: true }] };
  const sql = `INSERT INTO t VALUES (${literal})`;
  const insert = classifyStatement(sql) as InsertStatement;
  const query = insertQuery(insert, target, sql);
  const context = dialect.context(parameters);
  const queried = query.rows(await prepareQuery(query.sql, context));
  const value = (rows: string) =>
    context.session.scalar(`SELECT typeof(b) || ': ' || coalesce(b::VARCHAR, '-') FROM (${rows})`);
  const { sql: plain, row } = atOnce(plainValues(insert, target, sql, parameters)) ?? {};
  return { plain, row, queried, value };
}

test.for(CASES)('%s as %s is the same without a query', async ([literal, type]) => {
  const { plain, queried, value } = await bothWays(literal, type);
  expect(plain).toBeDefined();
  expect(await value(plain!)).toBe(await value(queried));
});

const PARAMETERS: readonly (readonly [column: string, value: QueryParameter['value'], type?: SqlType])[] = [
  ['INTEGER', '17', { kind: 'int' }],
  ['BIGINT', 17n],
  ['BIGINT', '-5', { kind: 'int' }],
  ['DOUBLE', '0.25', { kind: 'double' }],
  ['DOUBLE', 0.1],
  ['FLOAT', '0.1', { kind: 'float' }],
  ['DECIMAL(9,2)', '1.25', { kind: 'decimal', precision: 9, scale: 2 }],
  ['VARCHAR', "it's"],
  ['VARCHAR', 'null', { kind: 'text', postgres: 'varchar' }],
  ['VARCHAR', null, { kind: 'text' }],
  ['BOOLEAN', true],
  ['DATE', '2024-02-29', { kind: 'date' }],
  ['TIMESTAMP', '2024-02-29 10:11:12', { kind: 'timestamp' }],
  ['TIMESTAMP WITH TIME ZONE', '2024-02-29 10:11:12+02', { kind: 'timestamptz' }],
];

test.for(PARAMETERS)(
  'a parameter for %s, %s of type %j, is the same without a query',
  async ([column, value, type]) => {
    const parameters = [{ name: '$1', value, type }];
    const { plain, queried, value: stored } = await bothWays('$1', column, parameters);
    expect(plain).toBeDefined();
    expect(await stored(plain!)).toBe(await stored(queried));
  },
);

test.for([
  ['INTEGER', 'null', { kind: 'int' }],
  ['INTEGER', '1', { kind: 'double' }],
  ['DOUBLE', '-0', { kind: 'double' }],
  ['VARCHAR', 'too long', { kind: 'text', length: 3 }],
  ['INTEGER', '1', { kind: 'int', postgres: 'int2' }],
  ['DECIMAL(9,2)', '1.255', { kind: 'decimal', precision: 38, scale: 3 }],
] as const)('a parameter for %s, %s of type %j, is left to the query', ([type, value, of]) => {
  const target = { name: 't', columns: [{ name: 'a', storedName: 'b', type, nullable: true }] };
  const sql = 'INSERT INTO t VALUES ($1)';
  const insert = classifyStatement(sql) as InsertStatement;
  expect(atOnce(plainValues(insert, target, sql, [{ name: '$1', value, type: of }]))).toBeUndefined();
  const two = ['$1', '$2'].map((name) => ({ name, value: null }));
  expect(atOnce(plainValues(insert, target, sql, two))).toBeUndefined();
});

/** SQL of the kernel for the value of a literal as text. */
const VALUE_OF: Readonly<Record<string, string>> = {
  DATE: "date_diff('day', DATE '1970-01-01', b)::VARCHAR",
  TIMESTAMP: 'epoch_us(b)::VARCHAR',
  'TIMESTAMP WITH TIME ZONE': 'epoch_us(b)::VARCHAR',
};

test('a literal that is read without the kernel has the value that the kernel reads', async () => {
  const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${length}}$`));
  const signed = (number: fc.Arbitrary<string>) =>
    fc.tuple(fc.constantFrom('', '-'), number).map((p) => p.join(''));
  const decimal = (whole: number, fraction: number) =>
    signed(
      fc.oneof(
        digits(whole),
        fc.tuple(digits(whole), digits(fraction)).map(([a, b]) => `${a}.${b}`),
        digits(fraction).map((b) => `.${b}`),
      ),
    );
  const two = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'));
  const day = fc.tuple(fc.integer({ min: 999, max: 9999 }), two(13), two(32)).map((parts) => parts.join('-'));
  const clock = fc
    .tuple(two(24), two(60), two(60), fc.constantFrom('', '.5', '.000001', '.123456', '.1234567'))
    .map(([h, m, s, fraction]) => `${h}:${m}:${s}${fraction}`);
  const moment = fc.tuple(day, fc.constantFrom(' ', 'T'), clock).map((parts) => parts.join(''));
  const zone = fc.constantFrom('', 'Z', '+00', '-05', '+05:30', '+15:59', '+0530', '-16');
  const quoted = (text: fc.Arbitrary<string>) => text.map((t) => `'${t.replaceAll("'", "''")}'`);
  const literal = fc.oneof(
    signed(digits(18)).map((sql) => [sql, 'INTEGER'] as const),
    signed(digits(18)).map((sql) => [sql, 'BIGINT'] as const),
    decimal(7, 7).map((sql) => [sql, 'DOUBLE'] as const),
    decimal(5, 5).map((sql) => [sql, 'FLOAT'] as const),
    decimal(12, 10).map((sql) => [sql, 'DECIMAL(18,6)'] as const),
    decimal(3, 2).map((sql) => [sql, 'DECIMAL(4,1)'] as const),
    quoted(fc.string({ unit: 'grapheme' })).map((sql) => [sql, 'VARCHAR'] as const),
    quoted(day).map((sql) => [sql, 'DATE'] as const),
    quoted(fc.oneof(day, moment)).map((sql) => [sql, 'TIMESTAMP'] as const),
    quoted(fc.tuple(moment, zone).map((parts) => parts.join(''))).map(
      (sql) => [sql, 'TIMESTAMP WITH TIME ZONE'] as const,
    ),
  );
  const drawn = fc.sample(literal, { numRuns: 1_500, seed: 17 });
  const read = [...CASES, ...drawn].flatMap(([sql, type]) => {
    const target = { name: 't', columns: [{ name: 'a', storedName: 'b', type, nullable: true }] };
    const statement = `INSERT INTO t VALUES (${sql})`;
    const values = atOnce(plainValues(classifyStatement(statement) as InsertStatement, target, statement));
    const [value] = values?.row ?? [];
    return value == null ? [] : [{ rows: values!.sql, type, value }];
  });
  expect(new Set(read.map(({ type }) => type)).size).toBeGreaterThan(9);
  const texts = read.map(({ rows, type }) => `SELECT ${VALUE_OF[type] ?? 'b::VARCHAR'} AS t FROM (${rows})`);
  const { session } = dialect.context();
  const kernels: unknown[] = [];
  for (let at = 0; at < texts.length; at += 100)
    kernels.push(
      ...JSON.parse(
        String(
          await session.scalar(
            `SELECT to_json([${texts
              .slice(at, at + 100)
              .map((text) => `(${text})`)
              .join(', ')}])::VARCHAR`,
          ),
        ),
      ),
    );
  const asText = ({ type, value }: (typeof read)[number], text: string) => {
    if (type === 'DOUBLE' || type === 'FLOAT')
      return [Number(value), type === 'FLOAT' ? Math.fround(Number(text)) : Number(text)];
    return [String(value), type.startsWith('DECIMAL') ? String(BigInt(text.replace('.', ''))) : text];
  };
  for (const [i, one] of read.entries()) {
    const [ours, theirs] = asText(one, String(kernels[i]));
    expect(ours, one.rows).toBe(theirs);
  }
});

test.for([
  ['1 + 1', 'INTEGER'],
  ['1e3', 'DOUBLE'],
  ["'\\x61'", 'BLOB'],
  ["' 1'", 'INTEGER'],
  ["'-0'", 'DOUBLE'],
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
      atOnce(plainValues(insert, target, sql));
      return process.cpuUsage(before).user / 1000;
    };
    // Collections of garbage and other programs only add to the time.
    return Math.min(once(), once(), once(), once(), once());
  };
  // When each row was located separately, ten times the rows took a hundred times as long: seconds. Other threads of the process
  // count as well, so a few milliseconds say nothing.
  expect(milliseconds(30_000)).toBeLessThan(60 * Math.max(20, milliseconds(3000)));
});
