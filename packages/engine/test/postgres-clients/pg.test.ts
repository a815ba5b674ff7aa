import { connect } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metric } from '../cluster/metrics.ts';
import { rows as rowsOverHttp } from '../http.ts';
import { type SharedNode, takeSharedNode } from '../shared-node.ts';
import { type Place, placeOf } from './programs.ts';

let node: SharedNode;
let place: Place;
let client: pg.Client;
beforeAll(async () => {
  node = await takeSharedNode();
  place = placeOf(node);
  client = await connected();
});
afterAll(async () => {
  await client?.end();
  await node[Symbol.asyncDispose]();
});

async function connected(options: pg.ClientConfig = {}): Promise<pg.Client> {
  const made = new pg.Client({ ...place, ...options });
  await made.connect();
  return made;
}

const ENDLESS = 'SELECT count(*) FROM generate_series(1, 100000000000) AS i WHERE i % 7 = 3';

describe('statements', () => {
  it('report what they did', async () => {
    const told = async (sql: string) => {
      const { command, rowCount } = await client.query(sql);
      return `${command} ${rowCount}`;
    };
    expect(await told('CREATE TABLE told (a INT, b TEXT)')).toBe('CREATE null');
    expect(await told("INSERT INTO told VALUES (1, 'x'), (2, 'y')")).toBe('INSERT 2');
    expect(await told("UPDATE told SET b = 'z' WHERE a = 2")).toBe('UPDATE 1');
    expect(await told('SELECT * FROM told')).toBe('SELECT 2');
    expect(await told('DELETE FROM told')).toBe('DELETE 2');
    expect(await told('DROP TABLE told')).toBe('DROP null');
    expect(await told('')).toBe('null null');
  });

  it('can be several in one text', async () => {
    const results = await client.query('SELECT 1 AS a; SELECT 2 AS b, 3 AS b; SET application_name = x');
    expect(results).toMatchObject([{ rows: [{ a: 1 }] }, { rows: [{ b: 3 }] }, { command: 'SET' }]);
    const extended = { text: 'SELECT 1; SELECT 2', queryMode: 'extended' };
    await expect(client.query(extended)).rejects.toMatchObject({ code: '42601' });
  });

  it('get a cached result of an earlier one with its types', async () => {
    await client.query(
      "CREATE TABLE many AS SELECT n, 'text ' || n AS t FROM generate_series(1, 12000) AS g(n)",
    );
    const sql = 'SELECT max(n) AS n, min(t) AS t, sum(n)::numeric AS s FROM many';
    const queried = async (config: object) => {
      const before = await metric(node, 'tessera_result_cache_hits_total');
      const { rows, fields } = await client.query({ text: sql, ...config });
      const isReused = (await metric(node, 'tessera_result_cache_hits_total')) > before;
      return { rows, types: fields.map(({ dataTypeID }) => dataTypeID), isReused };
    };
    for (const config of [{}, { name: 'many', binary: true }]) {
      const first = await queried(config);
      expect(first.isReused).toBe(false);
      expect(await queried(config)).toEqual({ ...first, isReused: true });
    }
    expect((await queried({})).rows).toEqual([{ n: '12000', t: 'text 1', s: '72006000.000000000' }]);
    await client.query('DROP TABLE many');
  });

  it('are prepared once by name, and run with other parameters', async () => {
    const named = (n: number | null) =>
      client.query({ name: 'twice', text: 'SELECT $1::int * 2 AS n', values: [n] });
    for (const n of [1, 2, 21]) expect((await named(n)).rows).toEqual([{ n: n * 2 }]);
    expect((await named(null)).rows).toEqual([{ n: null }]);
  });

  it('accept NULL, and parameters without a type, in every position', async () => {
    const text = 'SELECT $1 AS a, $2 AS b, coalesce($3, $4) AS c, $5::int IS NULL AS d';
    const { rows, fields } = await client.query(text, [null, 'x', null, null, null]);
    expect(rows).toEqual([{ a: null, b: 'x', c: null, d: true }]);
    expect(fields.map(({ dataTypeID }) => dataTypeID)).toEqual([25, 25, 25, 16]);
  });

  it('insert many rows of VALUES whose parameters are cast in the first row, as SQLAlchemy does', async () => {
    await client.query(
      'CREATE TABLE mapped (a TEXT, n NUMERIC(10, 2), t TIMESTAMPTZ, d DATE, f FLOAT8, b BYTEA, i INT[])',
    );
    const row = (from: number) =>
      `($${from}::text, $${from + 1}, $${from + 2}::timestamptz, $${from + 3}, $${from + 4}, $${from + 5}, $${from + 6}::int[], ${from})`;
    const sql = `INSERT INTO mapped SELECT v.a, n::NUMERIC(10, 2), t::TIMESTAMPTZ, d::DATE, f::FLOAT8, b::BYTEA, i::INT[]
      FROM (VALUES ${[1, 8, 15].map(row).join(', ')}) AS v(a, n, t, d, f, b, i, k) ORDER BY k RETURNING a, n, f`;
    const some = ['x', '1.5', '2024-01-01 00:00:00+00', '2024-01-01', '2.5', '\\x01', '{1}'];
    const none = ['y', null, null, null, null, null, null];
    const { rows } = await client.query(sql, [...none, ...some, ...none]);
    expect(rows).toEqual([
      { a: 'y', n: null, f: null },
      { a: 'x', n: '1.50', f: 2.5 },
      { a: 'y', n: null, f: null },
    ]);
  });

  it('return rows in portions', async () => {
    const config = { text: 'SELECT i::int AS i FROM generate_series(1, 10) AS i ORDER BY i', rows: 3 };
    const { rows } = await client.query(config);
    expect(rows.map(({ i }) => i)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('are queued by hundreds without waiting', async () => {
    const queries = Array.from({ length: 300 }, (_, i) => client.query('SELECT $1::int AS i', [i]));
    const answers = await Promise.all(queries);
    expect(answers.map(({ rows }) => rows[0].i)).toEqual(answers.map((_, i) => i));
  });

  it('in a pipeline fail one by one', async () => {
    const pipeline: pg.ClientConfig & { readonly pipeline: true } = { pipeline: true };
    const piped = await connected(pipeline);
    try {
      const queries = Array.from({ length: 60 }, (_, i) =>
        piped.query('SELECT 10 / ($1::int % 3) AS n', [i]),
      );
      const outcomes = await Promise.allSettled(queries);
      const failed = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code);
      expect(failed).toEqual(outcomes.map((_, i) => i % 3 === 0 && '22012'));
    } finally {
      await piped.end();
    }
  });

  it('return results that are large, wide and long', async () => {
    const wide = Array.from({ length: 500 }, (_, i) => `${i} AS c${i}`).join(', ');
    expect(Object.keys((await client.query(`SELECT ${wide}`)).rows[0])).toHaveLength(500);
    const long = 'x'.repeat(5_000_000);
    expect((await client.query('SELECT $1::text AS t', [long])).rows[0].t).toBe(long);
    const many = await client.query(
      'SELECT i::int AS i, repeat(i::text, 5) AS t FROM generate_series(1, 100000) AS i',
    );
    expect(many.rowCount).toBe(100_000);
  });
});

describe('errors', () => {
  it('contain the cause, the place and the resolution', async () => {
    await expect(client.query('SELECT 1,\n  nope FROM nowhere')).rejects.toMatchObject({
      severity: 'ERROR',
      code: '42P01',
      position: String('SELECT 1,\n  nope FROM n'.length),
    });
    await expect(client.query('SELEC 1')).rejects.toMatchObject({ code: '42601', position: '1' });
    await expect(client.query('SELECT $1::int', ['x'])).rejects.toMatchObject({ code: '22P02' });
    await expect(client.query('SELECT 2147483648::int')).rejects.toMatchObject({ code: '22003' });
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it.each(['LISTEN c', 'NOTIFY c', 'CREATE TEMP VIEW v AS SELECT 1'])('%s is refused', async (sql) => {
    await expect(client.query(sql)).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:0A000|42501)$/),
    });
  });

  it('while connecting arrive as connection errors', async () => {
    const unknown = new pg.Client({ ...place, database: 'nope' });
    await expect(unknown.connect()).rejects.toMatchObject({ severity: 'FATAL', code: '3D000' });
    const encrypted = new pg.Client({ ...place, ssl: true });
    await expect(encrypted.connect()).rejects.toThrow('does not support SSL');
  });

  it('do not occur if a client disconnects properly at once', async () => {
    const socket = connect(place.port, place.host);
    const answer: Buffer[] = [];
    socket.on('data', (chunk) => answer.push(chunk));
    socket.end(Buffer.from([0x58, 0, 0, 0, 4]));
    await new Promise((resolve) => socket.once('close', resolve));
    expect(Buffer.concat(answer)).toHaveLength(0);
  });
});

describe('sessions', () => {
  it('send warnings', async () => {
    const notices: string[] = [];
    const onNotice = ({
      code = '',
      severity = '',
    }: {
      code?: string | undefined;
      severity?: string | undefined;
    }) => notices.push(`${severity} ${code}`);
    client.on('notice', onNotice);
    await client.query('COMMIT');
    client.off('notice', onNotice);
    expect(notices).toEqual(['WARNING 25P01']);
  });

  it('have parameters from the start', async () => {
    const own = await connected({
      application_name: 'me',
      statement_timeout: 12_000,
      options: '-c timezone=Asia/Tokyo',
    });
    try {
      const shown = async (name: string) => Object.values((await own.query(`SHOW ${name}`)).rows[0])[0];
      expect([
        await shown('application_name'),
        await shown('statement_timeout'),
        await shown('timezone'),
      ]).toEqual(['me', '12s', 'Asia/Tokyo']);
    } finally {
      await own.end();
    }
  });

  it('keep what a client sets for itself', async () => {
    const value = async (sql: string) => (await client.query(sql)).rows[0].v;
    await client.query('BEGIN');
    await client.query("SELECT set_config('app.tenant', 'seven', true)");
    expect(await value("SELECT current_setting('app.tenant') AS v")).toBe('seven');
    await client.query('COMMIT');
    expect(await value("SELECT current_setting('app.tenant', true) AS v")).toBeNull();
    await expect(client.query("SELECT current_setting('app.tenant')")).rejects.toMatchObject({
      code: '42704',
    });
    await client.query("SET app.tenant = 'eight'");
    expect(await value("SELECT current_setting('app.tenant') AS v")).toBe('eight');
  });

  it('end a statement that takes too long', async () => {
    const hasty = await connected({ statement_timeout: 1_000 });
    try {
      await expect(hasty.query(ENDLESS)).rejects.toMatchObject({ code: '57014' });
      expect((await hasty.query('SELECT 1 AS a')).rows).toEqual([{ a: 1 }]);
    } finally {
      await hasty.end();
    }
  });

  it('cancel the running statement when another connection requests it', async () => {
    const busy = await connected();
    try {
      const failing = expect(busy.query(ENDLESS)).rejects.toMatchObject({ code: '57014' });
      const running = () =>
        rowsOverHttp(node, 'SELECT query_text FROM information_schema.engine_running_queries');
      await expect
        .poll(async () => JSON.stringify(await running()), { timeout: 20_000 })
        .toContain('100000000000');
      const { processID, secretKey } = busy as unknown as { processID: number; secretKey: number | Buffer };
      const key = Buffer.isBuffer(secretKey) ? secretKey.readInt32BE(0) : secretKey;
      const request = Buffer.alloc(16);
      for (const [i, word] of [16, 80_877_102, processID, key].entries())
        request.writeInt32BE(word | 0, 4 * i);
      connect(place.port, place.host)
        .on('error', () => undefined)
        .end(request);
      await failing;
      expect((await busy.query('SELECT 1 AS a')).rows).toEqual([{ a: 1 }]);
    } finally {
      await busy.end();
    }
  });
});

describe('transactions', () => {
  it('fail as a whole', async () => {
    await client.query('CREATE TABLE whole (a INT)');
    await client.query('BEGIN');
    await client.query('INSERT INTO whole VALUES (1)');
    await expect(client.query('SELECT 1/0')).rejects.toMatchObject({ code: '22012' });
    await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' });
    expect((await client.query('COMMIT')).command).toBe('ROLLBACK');
    expect((await client.query('SELECT * FROM whole')).rows).toEqual([]);
  });

  it('are rolled back by PREPARE TRANSACTION, which is refused', async () => {
    await client.query('CREATE TABLE phases (a INT)');
    await client.query('BEGIN');
    await client.query('INSERT INTO phases VALUES (1)');
    await expect(client.query("PREPARE TRANSACTION 'x'")).rejects.toMatchObject({ code: '0A000' });
    expect((await client.query('SELECT * FROM phases')).rows).toEqual([]);
  });

  it('on connections of a pool are independent', async () => {
    const pool = new pg.Pool({ ...place, max: 5 });
    try {
      await pool.query('CREATE TABLE pooled (a INT)');
      const one = await pool.connect();
      await one.query('BEGIN');
      await one.query('INSERT INTO pooled VALUES (1)');
      const count = async (from: pg.Pool | pg.PoolClient) =>
        (await from.query('SELECT count(*)::int AS n FROM pooled')).rows[0].n;
      expect([await count(one), await count(pool)]).toEqual([1, 0]);
      await one.query('COMMIT');
      one.release();
      const counts = await Promise.all(Array.from({ length: 40 }, () => count(pool)));
      expect(new Set(counts)).toEqual(new Set([1]));
    } finally {
      await pool.end();
    }
  });
});

/** A short version of `pg-copy-streams`: the driver lets a query class handle the protocol itself. */
class Copy {
  readonly #text: string;
  readonly #input: readonly string[];
  readonly output: Buffer[] = [];
  readonly done: Promise<void>;
  #resolve: () => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(text: string, input: readonly string[] = []) {
    this.#text = text;
    this.#input = input;
    this.done = new Promise((resolve, reject) => {
      [this.#resolve, this.#reject] = [resolve, reject];
    });
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text);
  }

  handleCopyInResponse(connection: { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void }): void {
    for (const piece of this.#input) connection.sendCopyFromChunk(Buffer.from(piece));
    connection.endCopyFrom();
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.output.push(chunk);
  }

  handleError(error: Error): void {
    this.#reject(error);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#resolve();
  }
}

describe('COPY', () => {
  const copy = async (text: string, input?: readonly string[]) => {
    const copying = new Copy(text, input);
    client.query(copying as unknown as pg.Submittable);
    await copying.done;
    return Buffer.concat(copying.output).toString();
  };

  it('reads and writes rows that are divided at any byte', async () => {
    await client.query('CREATE TABLE copied (a INT, b TEXT)');
    await copy('COPY copied FROM STDIN', ['1\to', 'ne\n2\t\\', 'N\n3\tz\\', 'nz\n']);
    expect(await copy('COPY (SELECT * FROM copied ORDER BY a) TO STDOUT')).toBe('1\tone\n2\t\\N\n3\tz\\nz\n');
    expect(await copy('COPY (SELECT * FROM copied ORDER BY a) TO STDOUT (FORMAT csv, HEADER)')).toBe(
      'a,b\n1,one\n2,\n3,"z\nz"\n',
    );
  });

  it('leaves no rows if it fails, and the connection remains usable', async () => {
    await client.query('CREATE TABLE uncopied (a INT)');
    await expect(copy('COPY uncopied FROM STDIN', ['1\n', 'x\n'])).rejects.toMatchObject({
      code: expect.stringMatching(/^22/),
    });
    expect((await client.query('SELECT * FROM uncopied')).rows).toEqual([]);
  });
});
