import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedNode, takeSharedNode } from './shared-node.ts';

/** The driver requests results in binary format; its type declarations lack the option. */
const BINARY = { binary: true };

let node: SharedNode;
let client: pg.Client;
let binaryClient: pg.Client;
let sql: postgres.Sql;
beforeAll(async () => {
  node = await takeSharedNode();
  const [host = '', port = ''] = node.postgres.split(':');
  const options = { host, port: Number(port), database: 'tessera', user: 'alice' };
  client = new pg.Client(options);
  binaryClient = new pg.Client({ ...options, ...BINARY });
  await Promise.all([client.connect(), binaryClient.connect()]);
  sql = postgres({ ...options, max: 1 });
});
afterAll(async () => {
  await client?.end();
  await binaryClient?.end();
  await sql?.end();
  await node[Symbol.asyncDispose]();
});

const COLUMNS = `i INT, l BIGINT, r REAL, d DOUBLE PRECISION, n NUMERIC(20, 4), t TEXT, b BOOLEAN, da DATE,
  ts TIMESTAMP, tz TIMESTAMPTZ, y BYTEA, j JSON, ai INT[], words TEXT[], aa INT[][]`;
const VALUES = [
  ...[-7, '9007199254740993', 0.1, 1e300, '-12345678.9000', `a'b"\\ żółć 🐘`, true, '2024-02-29'],
  ...['2024-02-29 12:34:56.789', new Date('2024-07-01T12:00:00.125Z'), Buffer.from([0, 255, 92])],
  ...[
    { a: [1, null, 'x'] },
    [1, null, -3],
    ['a b', null, 'NULL', '"', '\\', '{,}'],
    [
      [1, 2],
      [3, 4],
    ],
  ],
];

describe('pg', () => {
  it.each(['text', 'binary'] as const)(
    'values of every type go in by parameters and come out: %s',
    async (format) => {
      await client.query(`CREATE TABLE every_${format} (${COLUMNS})`);
      const places = VALUES.map((_, i) => `$${i + 1}`).join(', ');
      await client.query(`INSERT INTO every_${format} VALUES (${places})`, VALUES);
      const nulls = VALUES.map(() => null);
      await client.query(`INSERT INTO every_${format} VALUES (${places})`, nulls);
      const reader = format === 'binary' ? binaryClient : client;
      const { rows, fields } = await reader.query<unknown[]>({
        text: `SELECT * FROM every_${format} ORDER BY i NULLS LAST`,
        rowMode: 'array',
      });
      expect(fields.map(({ dataTypeID }) => dataTypeID)).toEqual([
        23, 20, 700, 701, 1700, 25, 16, 1082, 1114, 1184, 17, 114, 1007, 1009, 1007,
      ]);
      expect(rows[1]).toEqual(nulls);
      const expected = [...VALUES];
      expected[7] = new Date(2024, 1, 29);
      expected[8] = new Date(2024, 1, 29, 12, 34, 56, 789);
      // The driver's binary parsers leave these values undecoded.
      const unread = format === 'binary' ? [1, 4, 7, 8, 9, 10, 11, 12, 13, 14] : [];
      for (const [i, value] of rows[0]!.entries()) {
        if (!unread.includes(i))
          expect(value, `column ${i}`).toEqual(i === 2 ? expect.closeTo(0.1) : expected[i]);
      }
    },
  );

  it('arrays of many elements, as parameters and as literals', async () => {
    const LONG = 40_000;
    const numbers = Array.from({ length: LONG }, (_, i) => (i === 7 ? null : i - 5));
    const one = async (sql: string, values: unknown[] = []) =>
      (await client.query({ text: sql, values, rowMode: 'array' })).rows[0]![0];
    const matching = 'SELECT count(*)::int FROM generate_series(1, 100000) t(i) WHERE i = ANY';
    expect(await one(`${matching}($1)`, [numbers])).toBe(LONG - 7);
    expect(await one(`${matching}('{${numbers.map((n) => n ?? 'NULL').join()}}'::bigint[])`)).toBe(LONG - 7);
    for (const [type, items] of [
      ['text', ['a', '"b"', "c'd", 'e\\f', '{g,h}', 'NULL', '', ' i ', '[j]', '🦆', null]],
      ['boolean', [true, false, null]],
      ['double precision', [1.5, -1e300, Number.NaN, Number.POSITIVE_INFINITY, null]],
      ['bigint', ['9223372036854775807', '-1', null]],
      ['numeric(38,9)', ['1.5', '-12345678901234567890123456789.123456789', null]],
      ['date', ['2024-02-29', '0044-03-15 BC', null]],
      ['json', ['{"a": [1, null]}', '"x"', null]],
    ] as const) {
      const long = Array.from({ length: 1_500 }, (_, i) => items[i % items.length]!);
      const joined = `array_to_string(($1::${type}[])[1:${items.length}], '|', '∅')`;
      expect(await one(`SELECT ${joined}`, [long]), type).toBe(await one(`SELECT ${joined}`, [items]));
    }
    const invalid = Array.from({ length: 1_500 }, (_, i) => (i === 1_400 ? 'x' : '1'));
    await expect(one('SELECT $1::int[]', [invalid])).rejects.toMatchObject({ code: '22P02' });
  });

  it('conditions with parameters of every kind', async () => {
    await client.query(
      'CREATE TABLE few AS SELECT i, i * 1.5 AS n, chr((64 + i)::int) AS s FROM generate_series(1, 20) t(i)',
    );
    const count = async (where: string, values: unknown[]) =>
      (await client.query(`SELECT count(*)::int AS n FROM few WHERE ${where}`, values)).rows[0].n;
    expect(await count('i = ANY($1)', [[1, 2, 99]])).toBe(2);
    expect(await count('i <> ALL($1)', [[1, 2, 99]])).toBe(18);
    expect(await count('s = ANY($1)', [['A', "B'"]])).toBe(1);
    expect(await count('n > $1 AND i + $2 <= $3', ['4.5', 1, 10])).toBe(6);
    expect(await count('i IN ($1, $2) OR s LIKE $3', [1, 2, 'C%'])).toBe(3);
    expect(await count('$1::text IS NULL', [null])).toBe(20);
    await client.query('UPDATE few SET s = $1 WHERE i = $2', ['changed', 3]);
    expect(await count('s = $1', ['changed'])).toBe(1);
    expect((await client.query('DELETE FROM few WHERE i > $1', [10])).rowCount).toBe(10);
    expect((await client.query('SELECT i FROM few ORDER BY i LIMIT $1 OFFSET $2', [2, 3])).rows).toEqual([
      { i: '4' },
      { i: '5' },
    ]);
  });

  it('values that are invalid for the type are refused', async () => {
    await expect(client.query('SELECT $1::int', ['x'])).rejects.toMatchObject({ code: '22P02' });
    await expect(client.query('SELECT $1::int', ['2147483648'])).rejects.toMatchObject({ code: '22003' });
  });
});

describe('postgres.js', () => {
  it('requests the types of parameters and formats values accordingly', async () => {
    await sql.unsafe(`CREATE TABLE told (${COLUMNS})`);
    const row = {
      i: 5,
      l: '9007199254740993',
      n: '1.5000',
      t: "it's",
      b: false,
      tz: new Date('2024-07-01T12:00:00.125Z'),
      y: Buffer.from([1, 2, 255]),
      j: { a: [1, 2] },
      ai: [1, 2, 3],
      words: ['x y', 'z'],
    };
    await sql`INSERT INTO told ${sql({ ...row, j: sql.json(row.j) } as never)}`;
    const [found] =
      await sql`SELECT i, l, n, t, b, tz, y, j, ai, words FROM told WHERE i = ${5} AND i = ANY(${[4, 5]})`;
    expect({ ...found }).toEqual(row);
  });
});
