import { afterAll, beforeAll, expect, test } from 'vitest';
import { Dialect } from './dialect.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

/** Calls of a function in each other, `depth` times. */
const nested = (begin: string, innermost: string, end: string) => (depth: number) =>
  `SELECT ${begin.repeat(depth)}${innermost}${end.repeat(depth)} FROM (VALUES (1, 'a')) v(x, s)`;

const aliases = (depth: number) =>
  `SELECT x AS c0${Array.from({ length: depth }, (_, i) => `, c${i} + c${i} AS c${i + 1}`).join('')} FROM (VALUES (1)) v(x)`;

test.each([
  ['split_part', nested('split_part(', 's', ", 'a', 1)")],
  ['substr', nested('substr(', 's', ', 1)')],
  ['repeat', nested('repeat(', 's', ', 1)')],
  ['initcap', nested('initcap(', 's', ')')],
  ['mod', nested('mod(x, ', '3', ')')],
  ['nullif', nested('nullif(', 'x', ', 2)')],
  ['array_to_string', nested('array_to_string([', 's', "], ',')")],
  ['width_bucket', nested('width_bucket(', 'x', ', 1, 10, 5)')],
  ['to_json', nested('to_json(', 'x', ')')],
  ['extract', nested("extract(year FROM DATE '2020-01-01' + interval '1 day' * ", 'x', ')')],
  ['BETWEEN', nested('(', 'x', ' BETWEEN 1 AND 2)::int')],
  ['aliases of columns', aliases],
  ['BETWEEN SYMMETRIC', nested('(', 'x', ' BETWEEN SYMMETRIC 1 AND 2)::int')],
  ['LIKE ANY', nested('(', 's', " LIKE ANY (ARRAY['a%', 'b%']))::text")],
  [
    'OVERLAPS',
    nested(
      'CASE WHEN (',
      'current_date',
      ", interval '1 day') OVERLAPS (now(), now()) THEN current_date END",
    ),
  ],
  ['to_char', nested('to_char(', 'current_date', ", 'YYYY-MM-DD')::date")],
  ['rows in a list', nested('((', 'x', ', 1) IN ((1, 2), (3, 4)))::int')],
  ['a row', nested('((', 'x', ', 1) < (1, 2))::int')],
])('%s nested 40 times is refused before the kernel writes it out', async (_, statement) => {
  await expect(dialect.rows(statement(2))).resolves.toHaveLength(1);
  await expect(dialect.rows(statement(40))).rejects.toThrow(
    expect.objectContaining({
      name: 'STATEMENT_TOO_COMPLEX',
      message: expect.stringMatching(/parts of (?:expressions|operands|an expression)/),
    }),
  );
});

test.each([
  ['justify_interval', nested('justify_interval(', "x * interval '1 hour'", ')')],
  ['justify_hours', nested('justify_hours(', "x * interval '1 hour'", ')')],
])('%s nested eight times is answered: its argument is computed once', async (_, statement) => {
  await expect(dialect.rows(statement(8))).resolves.toHaveLength(1);
});

test('functions that copy their argument are answered over a part of a document', async () => {
  const part = `('{"a":{"b":"xyz"}}' || left(s, 0))::jsonb -> 'a' ->> 'b'`;
  await expect(dialect.rows(nested('substr(', part, ', 1, 2)')(3))).resolves.toHaveLength(1);
});

test('many calls in one SELECT list are not too large', async () => {
  const calls = Array.from({ length: 1_000 }, (_, i) => `split_part(s || ${i}, 'a', 1) AS c${i}`);
  await expect(dialect.rows(`SELECT ${calls.join(', ')} FROM (VALUES ('a')) v(s)`)).resolves.toHaveLength(1);
});
