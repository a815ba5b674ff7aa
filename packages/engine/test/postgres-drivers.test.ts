import { Kysely, PostgresDialect, sql as raw } from 'kysely';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

let node: TesseraProcess;
let place: { host: string; port: number; user: string; database: string };
beforeAll(async () => {
  node = await startTessera({ args: ['--postgres-port', '0'] });
  const { hostname, port } = new URL(
    node.postgres.includes('://') ? node.postgres : `postgres://${node.postgres}`,
  );
  place = { host: hostname, port: Number(port), user: 'tessera', database: 'tessera' };
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

describe('npm pg', () => {
  it('runs, binds, prepares, and goes on after errors', async () => {
    const client = new pg.Client(place);
    await client.connect();
    try {
      await client.query(
        'CREATE TABLE pg_rows (a INT NOT NULL, b TEXT, c TIMESTAMPTZ, d NUMERIC(10, 2), e INT[])',
      );
      const insert = 'INSERT INTO pg_rows VALUES ($1, $2, $3, $4, $5)';
      const inserted = await client.query(insert, [1, 'x', new Date(0), '1.50', [1, 2]]);
      expect([inserted.command, inserted.rowCount]).toEqual(['INSERT', 1]);
      await client.query(insert, [2, null, null, null, null]);
      const rows = await client.query({
        name: 'all',
        text: 'SELECT * FROM pg_rows WHERE a >= $1 ORDER BY a',
        values: [1],
      });
      expect(rows.rows).toEqual([
        { a: 1, b: 'x', c: new Date(0), d: '1.50', e: [1, 2] },
        { a: 2, b: null, c: null, d: null, e: null },
      ]);
      await expect(client.query('SELECT * FROM nowhere')).rejects.toMatchObject({
        code: '42P01',
        position: '15',
      });
      expect((await client.query('SELECT 42 AS answer')).rows).toEqual([{ answer: 42 }]);
    } finally {
      await client.end();
    }
  });

  it('keeps transactions of a pool apart', async () => {
    const pool = new pg.Pool({ ...place, max: 2 });
    const [one, other] = await Promise.all([pool.connect(), pool.connect()]);
    try {
      await one.query('CREATE TABLE pg_pool (a INT)');
      await one.query('BEGIN');
      await one.query('INSERT INTO pg_pool VALUES (1)');
      const count = async (client: pg.PoolClient) =>
        (await client.query('SELECT count(*)::INT AS n FROM pg_pool')).rows[0].n;
      expect([await count(one), await count(other)]).toEqual([1, 0]);
      await one.query('COMMIT');
      expect(await count(other)).toBe(1);
    } finally {
      one.release();
      other.release();
      await pool.end();
    }
  });
});

describe('npm postgres', () => {
  it('pipelines, reads by cursor, copies', async () => {
    const sql = postgres({ ...place, max: 2, onnotice: () => undefined });
    try {
      const numbers = Array.from({ length: 50 }, (_, i) => i);
      const answers = await Promise.all(numbers.map((n) => sql`SELECT ${n}::int AS n`));
      expect(answers.map(([row]) => row?.n)).toEqual(numbers);
      const pieces: number[][] = [];
      for await (const rows of sql`SELECT i::int AS i FROM generate_series(1, 5) AS r(i)`.cursor(2)) {
        pieces.push(rows.map(({ i }) => i));
      }
      expect(pieces).toEqual([[1, 2], [3, 4], [5]]);
      await sql`CREATE TABLE porsager (a INT, b TEXT)`;
      const writable = await sql`COPY porsager FROM STDIN`.writable();
      writable.write('1\tx\n');
      await new Promise((resolve) => writable.end('2\ty\n', () => resolve(undefined)));
      await expect.poll(async () => (await sql`SELECT count(*)::int AS n FROM porsager`)[0]?.n).toBe(2);
    } finally {
      await sql.end();
    }
  });

  it('rolls back what throws', async () => {
    const sql = postgres({ ...place, max: 1, onnotice: () => undefined });
    try {
      await sql`CREATE TABLE thrown (a INT)`;
      const failing = sql.begin(async (transaction) => {
        await transaction`INSERT INTO thrown VALUES (1)`;
        throw new Error('enough');
      });
      await expect(failing).rejects.toThrow('enough');
      expect(await sql`SELECT * FROM thrown`).toHaveLength(0);
    } finally {
      await sql.end();
    }
  });
});

it('kysely inserts, selects and updates in a transaction', async () => {
  const db = new Kysely<{ kysely_rows: { a: number; b: string | null } }>({
    dialect: new PostgresDialect({ pool: new pg.Pool(place) }),
  });
  try {
    await db.schema.createTable('kysely_rows').addColumn('a', 'integer').addColumn('b', 'text').execute();
    await db.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('kysely_rows')
        .values([
          { a: 1, b: 'x' },
          { a: 2, b: null },
        ])
        .execute();
      await transaction.updateTable('kysely_rows').set({ b: 'y' }).where('a', '=', 2).execute();
    });
    const rows = await db
      .selectFrom('kysely_rows')
      .selectAll()
      .where('b', 'is not', null)
      .orderBy('a')
      .execute();
    expect(rows).toEqual([
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
    ]);
    expect((await raw<{ n: number }>`SELECT ${7}::int AS n`.execute(db)).rows).toEqual([{ n: 7 }]);
  } finally {
    await db.destroy();
  }
});
