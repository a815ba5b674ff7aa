import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rows as rowsOverHttp } from '../http.ts';
import { type SharedNode, takeSharedNode } from '../shared-node.ts';
import { type Place, placeOf } from './programs.ts';

/** The OID for parameters that the driver would otherwise send as texts. */
const INT = 23;

let node: SharedNode;
let place: Place;
let sql: postgres.Sql;
beforeAll(async () => {
  node = await takeSharedNode();
  place = placeOf(node);
  sql = postgres({ ...place, max: 4, onnotice: () => undefined });
  // The driver knows array types once its first connection has queried them.
  await sql`SELECT 1`;
});
afterAll(async () => {
  await sql?.end();
  await node[Symbol.asyncDispose]();
});

describe('values', () => {
  it('are of the types that the driver finds in pg_type', async () => {
    const own = postgres({ ...place, max: 1, fetch_types: true });
    try {
      const [row] = await own`SELECT ARRAY['a', 'b,c', '"'] AS words, ARRAY[1, 2, 3] AS numbers,
        ARRAY[DATE '2024-02-29'] AS days, ARRAY[true, false] AS flags`;
      expect(row).toEqual({
        words: ['a', 'b,c', '"'],
        numbers: [1, 2, 3],
        days: [new Date('2024-02-29')],
        flags: [true, false],
      });
    } finally {
      await own.end();
    }
  });

  it('survive a round trip', async () => {
    const at = new Date('2024-07-01T12:00:00.125Z');
    const [row] =
      await sql`SELECT ${at}::timestamptz AS at, ${'x'} AS word, ${7} AS seven, ${true}::bool AS yes,
      ${sql.json({ a: [1, null] })} AS j, ${Buffer.from([0, 255])}::bytea AS bytes, ${'12'}::bigint AS big,
      ${null} AS nothing, ${sql.array([1, 2], INT)} AS numbers, ${sql.array(['a', 'b'])} AS words`;
    expect(row).toEqual({
      at,
      word: 'x',
      seven: '7',
      yes: true,
      j: { a: [1, null] },
      bytes: Buffer.from([0, 255]),
      big: '12',
      nothing: null,
      numbers: [1, 2],
      words: ['a', 'b'],
    });
  });

  it('are arrays of arrays, though their type does not say so', async () => {
    const numbers = [
      [1, 2],
      [3, 4],
    ];
    const [row] =
      await sql`SELECT ${sql.array(numbers, INT)} AS two, ${sql.array([[['a']], [['b']]])} AS three`;
    expect(row).toEqual({
      two: numbers,
      three: [[['a']], [['b']]],
    });
  });
});

describe('statements', () => {
  it('are built from rows, names and lists', async () => {
    await sql`CREATE TABLE built (a INT, b TEXT, "mixed Case" INT)`;
    const list = [
      { a: 1, b: 'x', 'mixed Case': 10 },
      { a: 2, b: null, 'mixed Case': 20 },
      { a: 3, b: "it's", 'mixed Case': null },
    ];
    const inserted = await sql`INSERT INTO built ${sql(list)}`;
    expect([inserted.command, inserted.count]).toEqual(['INSERT', 3]);
    await sql`UPDATE built SET ${sql({ b: 'new' })} WHERE a IN ${sql([1, 2])}`;
    const columns = ['a', 'b'];
    expect([
      ...(await sql`SELECT ${sql(columns)} FROM ${sql('built')} WHERE a = ANY(${[1, 3]}) ORDER BY a`),
    ]).toEqual([
      { a: 1, b: 'new' },
      { a: 3, b: "it's" },
    ]);
    const isLarge = sql`"mixed Case" > ${15}`;
    expect(await sql`SELECT a FROM built WHERE ${isLarge}`.values()).toEqual([[2]]);
  });

  it('are described without being run', async () => {
    const { types, columns } = await sql`SELECT ${1}::int AS n, ${'x'}::text || 'y' AS t`.describe();
    expect(types).toEqual([23, 25]);
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
      ['n', 23],
      ['t', 25],
    ]);
  });

  it('are prepared again by the driver when their columns have changed', async () => {
    const own = postgres({ ...place, max: 1 });
    try {
      await own`CREATE TABLE shifting (a INT)`;
      const all = () => own`SELECT * FROM shifting`;
      await own`INSERT INTO shifting VALUES (1)`;
      expect([...(await all())]).toEqual([{ a: 1 }]);
      await own`ALTER TABLE shifting ADD COLUMN b TEXT`;
      expect([...(await all())]).toEqual([{ a: 1, b: null }]);
    } finally {
      await own.end();
    }
  });

  it('can be several in one unsafe text', async () => {
    const text =
      'SELECT 1 AS a; CREATE TABLE unsafe (a INT); INSERT INTO unsafe VALUES (1), (2); SELECT a FROM unsafe';
    const results = await sql.unsafe<[{ a: number }[], { a: number }[]]>(text);
    expect(results.map((rows) => rows.map(({ a }) => a).sort())).toEqual([[1], [1, 2]]);
    expect(await sql.unsafe('SELECT a FROM unsafe WHERE a > $1', [1])).toMatchObject([{ a: 2 }]);
  });

  it('go through one connection without waiting for one another', async () => {
    const own = postgres({ ...place, max: 1 });
    try {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 200 }, (_, i) => own`SELECT 100 / (${i}::int % 50) AS n, ${i}::int AS i`),
      );
      const received = outcomes.map((one) =>
        one.status === 'fulfilled' ? one.value[0]?.i : one.reason.code,
      );
      expect(received).toEqual(outcomes.map((_, i) => (i % 50 === 0 ? '22012' : i)));
    } finally {
      await own.end();
    }
  });

  it('report what is wrong with them', async () => {
    await expect(sql`SELECT nope FROM built`).rejects.toMatchObject({ code: '42703', position: '8' });
    await expect(sql`LISTEN c`).rejects.toMatchObject({ code: '0A000' });
    await expect(sql.listen('c', () => undefined)).rejects.toMatchObject({ code: '0A000' });
  });
});

describe('results', () => {
  it('are read by cursor, row by row or in portions, and can be abandoned', async () => {
    const pieces: number[][] = [];
    for await (const rows of sql`SELECT x FROM generate_series(1, 7) AS x ORDER BY x`.cursor(3)) {
      pieces.push(rows.map(({ x }) => Number(x)));
    }
    expect(pieces).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    const seen: number[] = [];
    for await (const [row] of sql`SELECT x FROM generate_series(1, 1000) AS x ORDER BY x`.cursor()) {
      seen.push(Number(row?.x));
      if (seen.length === 3) break;
    }
    expect(seen).toEqual([1, 2, 3]);
    expect((await sql`SELECT 1 AS a`)[0]).toEqual({ a: 1 });
  });

  it('are read row by row, raw, and large', async () => {
    let sum = 0;
    await sql`SELECT i::int AS i FROM generate_series(1, 100000) AS i`.forEach(({ i }) => {
      sum += i;
    });
    expect(sum).toBe(5_000_050_000);
    const raw = await sql`SELECT 1 AS a, 'x' AS b`.raw();
    expect(raw).toEqual([[Buffer.from('1'), Buffer.from('x')]]);
  });
});

describe('transactions', () => {
  it('are committed, or leave nothing', async () => {
    await sql`CREATE TABLE ledger (a INT)`;
    const kept = await sql.begin(async (inner) => {
      await inner`INSERT INTO ledger VALUES (1)`;
      return inner`SELECT count(*)::int AS n FROM ledger`;
    });
    expect(kept[0]?.n).toBe(1);
    const failing = sql.begin(async (inner) => {
      await inner`INSERT INTO ledger VALUES (2)`;
      await inner`SELECT 1/0`;
    });
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    const reading = sql.begin('READ ONLY', (inner) => inner`INSERT INTO ledger VALUES (3)`);
    await expect(reading).rejects.toMatchObject({ code: '25006' });
    expect([...(await sql`SELECT a FROM ledger`)]).toEqual([{ a: 1 }]);
  });

  it('continue after a savepoint whose statements failed', async () => {
    await sql`CREATE TABLE nested (a INT)`;
    await sql.begin(async (inner) => {
      await inner`INSERT INTO nested VALUES (1)`;
      const failing = inner.savepoint((part) => part`INSERT INTO nested VALUES (1 / 0)`);
      await expect(failing).rejects.toMatchObject({ code: '22012' });
      await inner.savepoint((part) => part`INSERT INTO nested VALUES (2)`);
    });
    expect([...(await sql`SELECT a FROM nested ORDER BY a`)]).toEqual([{ a: 1 }, { a: 2 }]);
  });
});

describe('COPY', () => {
  it('writes and reads streams', async () => {
    await sql`CREATE TABLE copied (a INT, b TEXT)`;
    const lines = Array.from({ length: 20_000 }, (_, i) => `${i}\trow ${i}\n`);
    await pipeline(Readable.from(lines), await sql`COPY copied (a, b) FROM STDIN`.writable());
    await expect.poll(async () => (await sql`SELECT count(*)::int AS n FROM copied`)[0]?.n).toBe(20_000);
    const pieces: Buffer[] = [];
    for await (const piece of await sql`COPY (SELECT * FROM copied ORDER BY a) TO STDOUT`.readable())
      pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe(lines.join(''));
  });
});

it('cancels', async () => {
  const endless = sql`SELECT count(*) FROM generate_series(1, 100000000000) AS i WHERE i % 7 = 3`.execute();
  const failing = expect(endless).rejects.toMatchObject({ code: '57014' });
  const running = () =>
    rowsOverHttp(node, 'SELECT query_text FROM information_schema.engine_running_queries');
  await expect
    .poll(async () => JSON.stringify(await running()), { timeout: 20_000 })
    .toContain('100000000000');
  endless.cancel();
  await failing;
});
