import { quoteText } from '@tessera/kernel';
import { parseArrayText, type SqlType, type ValueFormat } from '@tessera/sql';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { binaryText } from '../src/values/binary-text.ts';
import { GrowingBytes } from '../src/values/growing-bytes.ts';
import { numericText, writeNumeric } from '../src/values/numeric.ts';
import { queryParameter } from '../src/values/parameters.ts';
import { wireType } from '../src/values/type-oids.ts';
import { parseRows, WireDialect, type WireRow } from './wire-dialect.ts';

let dialect: WireDialect;
beforeAll(async () => {
  dialect = await WireDialect.open();
});
afterAll(() => dialect[Symbol.asyncDispose]());

const hostile = fc.oneof(
  fc.constantFrom('', 'NULL', 'null', '{}', '"', '\\', ',', ' a ', '\t', '{"a"}', "'", '\\x', '\u000b', '🐘'),
  fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '}', ',', ' ', "'", '\n', 'ż', 'N') }),
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
);
const texts = fc.array(
  fc.oneof({ arbitrary: hostile, weight: 9 }, { arbitrary: fc.constant(null), weight: 1 }),
);
const TEXTS: SqlType = { kind: 'array', element: { kind: 'text' } };

const literal = (items: readonly (string | null)[]): string =>
  `ARRAY[${items.map((item) => (item === null ? 'NULL' : quoteText(item))).join(', ')}]::TEXT[]`;

const both = async (sql: string, options = {}) => {
  const text = await dialect.rows(sql, ['text'], options);
  const binary = await dialect.rows(sql, ['binary'], options);
  const { oid } = wireType(text.columns[0]!.type);
  return { oid, text: text.rows.map(([cell]) => cell!), binary: binary.rows.map(([cell]) => cell!) };
};
const utf8 = (cell: Buffer | null): string | null => cell?.toString('utf8') ?? null;

describe('arrays of hostile texts', () => {
  it('are sent in a form that parses to the same array, in text and binary', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 20 }), async (rows) => {
        const values = rows.map((items, i) => `(${i}, ${literal(items)})`).join(', ');
        const { oid, text, binary } = await both(`SELECT a FROM (VALUES ${values}) v(i, a) ORDER BY i`);
        expect(text.map((cell) => parseArrayText(utf8(cell)!))).toEqual(rows);
        expect(binary.map((cell) => parseArrayText(binaryText(oid, cell)))).toEqual(rows);
      }),
      { numRuns: 25 },
    );
  });

  it('are received with their original values', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (items) => {
        const left = await both(`SELECT ${literal(items)}`);
        for (const format of ['text', 'binary'] as const) {
          const parameters = [queryParameter(1, { oid: left.oid, format, bytes: left[format][0]! }, TEXTS)];
          const { rows } = await dialect.rows('SELECT $1 AS a', ['text'], { parameters });
          expect(utf8(rows[0]![0]!)).toBe(utf8(left.text[0]!));
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('text and binary tell the same', () => {
  const day = fc.integer({ min: -1_500_000, max: 2_900_000 });
  it.each<[string, fc.Arbitrary<string>]>([
    ['DATE', day.map((days) => `DATE '1970-01-01' + ${days}`)],
    ['TIMESTAMP', fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }).map((us) => `make_timestamp(${us})`)],
    [
      'NUMERIC(38, 9)',
      fc
        .bigInt({ min: -(10n ** 37n), max: 10n ** 37n })
        .map((n) => `${n}::NUMERIC(38, 0) / 1000000000::NUMERIC(20, 0)`),
    ],
    ['BIGINT', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((n) => `'${n}'::BIGINT`)],
    // Around the powers of two and ten at which the arithmetic of numbers becomes inexact or changes its form.
    [
      'BIGINT',
      fc
        .tuple(
          fc.constantFrom(0n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 10n ** 9n, 10n ** 15n, 10n ** 18n),
          fc.bigInt({ min: -60n, max: 60n }),
          fc.constantFrom(1n, -1n),
        )
        .map(([power, near, sign]) => `'${sign * (power + near)}'::BIGINT`),
    ],
    ['BYTEA', fc.uint8Array().map((bytes) => `'\\x${Buffer.from(bytes).toString('hex')}'::BYTEA`)],
  ])('%s', async (type, value) => {
    const [sample] = fc.sample(fc.array(value, { minLength: 300, maxLength: 300 }), 1);
    const rows = sample!.map((sql, i) => `(${i}, (${sql})::${type})`).join(', ');
    const { oid, text, binary } = await both(`SELECT v FROM (VALUES ${rows}) x(i, v) ORDER BY i`);
    expect(binary.map((cell) => binaryText(oid, cell))).toEqual(text.map(utf8));
  });

  it('doubles and reals: the text is the shortest that is the number', async () => {
    const numbers = fc.sample(fc.double({ noNaN: true }), 500).map((n) => n + 0);
    const rows = numbers.map((n, i) => `(${i}, '${n}'::DOUBLE PRECISION)`).join(', ');
    const { text, binary } = await both(`SELECT v FROM (VALUES ${rows}) x(i, v) ORDER BY i`);
    expect(binary.map((cell) => cell.readDoubleBE())).toEqual(numbers);
    expect(text.map((cell) => Number(utf8(cell)))).toEqual(numbers);
    expect(text.map((cell) => digitsOf(utf8(cell)!))).toEqual(numbers.map((n) => digitsOf(String(n))));
  });

  /** The sign of this one is set on some processors. */
  const COMPUTED_NAN = "('Infinity'::DOUBLE PRECISION - 'Infinity'::DOUBLE PRECISION)";
  const near = (power: number) => fc.integer({ min: -30, max: 30 }).map((n) => `${10 ** power + n / 8}`);
  it.each<[string, fc.Arbitrary<string>]>([
    [
      'DOUBLE PRECISION',
      fc.oneof(near(15), near(16), fc.constantFrom('NaN', COMPUTED_NAN, '-0', 'Infinity', '-Infinity')),
    ],
    ['REAL', fc.oneof(near(6), near(7), fc.float().map(String))],
    ['DATE', day.map((days) => `(DATE '1970-01-01' + ${days})`)],
  ])('%s: the text is that of a cast to text', async (type, value) => {
    const values = fc.sample(value, 300).map((text) => (text.startsWith('(') ? text : quoteText(text)));
    const rows = values.map((sql, i) => `(${i}, ${sql}::${type}), (${i}, NULL)`).join(', ');
    const found = await dialect.rows(`SELECT v, v::TEXT FROM (VALUES ${rows}) x(i, v) ORDER BY i`, ['text']);
    expect(found.rows.map(([cell]) => cell)).toEqual(found.rows.map(([, cast]) => cast));
  });
});

/** The significant digits of a number's text. */
const digitsOf = (text: string): string =>
  text.replace(/e.*$/, '').replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '');

describe('numeric', () => {
  it('written values are read back with every digit', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }),
        fc.integer({ min: 0, max: 38 }),
        (n, scale) => {
          const out = new GrowingBytes();
          writeNumeric(out, n, scale);
          const digits = (n < 0n ? -n : n).toString().padStart(scale + 1, '0');
          const whole = digits.slice(0, digits.length - scale);
          const text = scale === 0 ? whole : `${whole}.${digits.slice(digits.length - scale)}`;
          expect(numericText(out.bytes)).toBe(n < 0n ? `-${text}` : text);
        },
      ),
    );
  });
});

describe('bytes of a client that are no value', () => {
  const oids = [
    16, 17, 20, 21, 23, 25, 700, 701, 1000, 1007, 1009, 1082, 1083, 1114, 1184, 1186, 1231, 1700, 2950, 3802,
    9999,
  ];

  it('are refused without any other effect', () => {
    fc.assert(
      fc.property(fc.constantFrom(...oids), fc.uint8Array({ maxLength: 64 }), (oid, bytes) => {
        try {
          queryParameter(1, { oid, format: 'binary', bytes: Buffer.from(bytes) });
        } catch (error) {
          expect(error).toMatchObject({ name: expect.stringMatching(/^(?:CAST_ERROR|INVALID_ENCODING)$/) });
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('arrays with sizes beyond their bytes, or nested in one another', () => {
    const header = (...words: number[]) => {
      const bytes = Buffer.alloc(4 * words.length);
      for (const [i, word] of words.entries()) bytes.writeInt32BE(word, 4 * i);
      return bytes;
    };
    for (const bytes of [
      header(1, 0, 23, 2 ** 31 - 1, 1),
      header(2, 0, 23, 2 ** 31 - 1, 1, 2 ** 31 - 1, 1),
      header(1, 0, 23, -1, 1),
      header(7, 0, 23),
      header(1, 0, 23, 1, 1, 8, 0),
    ]) {
      expect(() => queryParameter(1, { oid: 1007, format: 'binary', bytes })).toThrow(
        'incorrect binary data',
      );
    }
    expect(
      queryParameter(1, { oid: 1007, format: 'binary', bytes: header(2, 0, 23, 2 ** 31 - 1, 1, 0, 1) }).value,
    ).toBe('{}');
  });
});

describe('DataRow messages', () => {
  it.each<ValueFormat>(['text', 'binary'])(
    'any part of a batch can be written by itself: %s',
    async (format) => {
      const sql = `SELECT i, CASE WHEN i % 3 = 0 THEN NULL ELSE repeat('x', i) END AS s, [i, NULL] AS a,
      (i / 7.0)::NUMERIC(10, 3) AS n, i % 2 = 0 AS b, (i - 50) * 9007199254740993 AS l, CASE i % 5 WHEN 0 THEN NULL ELSE i / 4.0::DOUBLE PRECISION END AS d,
      CASE WHEN i = 50 THEN 'NaN' ELSE i::DOUBLE PRECISION END AS e, i::TEXT::BYTEA AS y, DATE '0001-01-20' - i AS t
      FROM generate_series(1, 100) t(i)`;
      const whole = await dialect.rows(sql, [format]);
      const parts: WireRow[] = [];
      await dialect.batches(sql, [format], (batch) => {
        for (let at = 0; at < batch.rows; at += 7) {
          parts.push(...parseRows(batch.write(at, Math.min(at + 7, batch.rows))));
        }
      });
      expect(parts).toEqual(whole.rows);
    },
  );

  it('arrays without a binary form are refused in binary, and sent as text', async () => {
    const sql = 'SELECT [[1, 2], [3]] AS a';
    expect(utf8((await dialect.rows(sql, ['text'])).rows[0]![0]!)).toBe('{{1,2},{3}}');
    await expect(dialect.rows(sql, ['binary'])).rejects.toMatchObject({ name: 'NOT_SUPPORTED' });
  });

  it('structs are sent as JSON, by themselves and in arrays', async () => {
    const sql = "SELECT {'a': 1, 'b': ['x']} AS s, [{'a': NULL}] AS l";
    for (const format of ['text', 'binary'] as const) {
      const { columns, rows } = await dialect.rows(sql, [format]);
      expect(columns.map(({ type }) => wireType(type).oid)).toEqual([114, 199]);
      expect(JSON.parse(utf8(rows[0]![0]!)!)).toEqual({ a: 1, b: ['x'] });
    }
  });

  it('a result without columns or rows', async () => {
    const { columns, rows } = await dialect.rows('SELECT 1 AS a WHERE false', ['binary']);
    expect([columns.length, rows]).toEqual([1, []]);
  });
});
