import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, query, rows, upload } from './http.ts';
import { type SharedNode, takeSharedNode } from './shared-node.ts';

let server: SharedNode;
beforeAll(async () => {
  server = await takeSharedNode();
});
afterAll(() => server[Symbol.asyncDispose]());

const several = (sql: string, params: Record<string, string> = {}) =>
  query(server, sql, { enable_multi_query_requests: 'true', ...params });

const updated = ({ headers }: Answer) => headers.get('firebolt-update-parameters');
const removed = ({ headers }: Answer) => headers.get('firebolt-remove-parameters');
const transactionOf = (answer: Answer): string => {
  const [name, id] = (updated(answer) ?? '').split('=');
  expect(name, answer.text).toBe('transaction_id');
  return id!;
};
const ok = async (answer: Promise<Answer>): Promise<Answer> => {
  const { status, text } = await answer;
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  return answer;
};
const failure = async (answer: Promise<Answer>) => {
  const { status, text } = await answer;
  expect(status, text).toBe(400);
  return JSON.parse(text).errors[0] as { name: string; description: string };
};

const values = (table: string) => rows(server, `SELECT a FROM ${table} ORDER BY a`);
const openTransactions = () => rows(server, 'SELECT transaction_id FROM information_schema.transactions');

let tables = 0;
async function newTable(): Promise<string> {
  const name = `multi${++tables}`;
  await ok(query(server, `CREATE TABLE ${name} (a INT)`));
  return name;
}

describe('a request of several statements that leaves its transaction open', () => {
  it.for([
    ['a change last', (t: string) => `BEGIN; INSERT INTO ${t} VALUES (1)`],
    ['a query last', (t: string) => `BEGIN; INSERT INTO ${t} VALUES (1); SELECT count(*) FROM ${t}`],
    ['BEGIN last', (t: string) => `INSERT INTO ${t} VALUES (1); BEGIN`],
    ['an earlier one ended', (t: string) => `BEGIN; COMMIT; START TRANSACTION; INSERT INTO ${t} VALUES (1)`],
  ] as const)('tells its id: %s', async ([, sql]) => {
    const table = await newTable();
    const transaction_id = transactionOf(await ok(several(sql(table))));
    await ok(query(server, `INSERT INTO ${table} VALUES (2)`, { transaction_id }));
    const ended = await ok(query(server, 'COMMIT', { transaction_id }));
    expect(removed(ended)).toBe('transaction_id');
    expect(await values(table)).toEqual([[1], [2]]);
  });

  it('returns the transaction id in every output format before the rows', async () => {
    for (const output_format of ['JSON_Compact', 'JSONLines_Compact', 'CSVWithNames', 'PSQL', 'Parquet']) {
      const answer = await ok(several('BEGIN; SELECT 1', { output_format }));
      await ok(query(server, 'ROLLBACK', { transaction_id: transactionOf(answer) }));
    }
    expect(await openTransactions()).toEqual([]);
  });

  it('is refused if the response cannot carry the id', async () => {
    const table = await newTable();
    const begin = `BEGIN; INSERT INTO ${table} VALUES (1)`;
    expect((await failure(several(begin, { async: 'true' }))).description).toContain('async=true');
    expect((await failure(query(server, 'BEGIN', { async: 'true' }))).description).toContain('async=true');
    expect((await failure(several(`${begin}; SET timezone = 'UTC'`))).description).toContain('SET');
    expect(await openTransactions()).toEqual([]);
    expect(await values(table)).toEqual([]);
  });

  it('is rolled back when a later statement fails, and no change is reported', async () => {
    const table = await newTable();
    const error = await failure(several(`BEGIN; INSERT INTO ${table} VALUES (1);\nSELECT nope`));
    expect(error.description).toContain('Line 2, Column 8');
    expect(error.description).toContain('statement 3 of 3');
    expect(await openTransactions()).toEqual([]);
    expect(await values(table)).toEqual([]);
  });
});

describe('a request of several statements in an open transaction', () => {
  const begin = async () => transactionOf(await ok(query(server, 'BEGIN')));

  it('reports that it ended the transaction', async () => {
    const table = await newTable();
    const sql = `INSERT INTO ${table} VALUES (1); COMMIT; INSERT INTO ${table} VALUES (2)`;
    expect(removed(await ok(several(sql, { transaction_id: await begin() })))).toBe('transaction_id');
    expect(await values(table)).toEqual([[1], [2]]);
  });

  it('reports the id of the next transaction', async () => {
    const table = await newTable();
    const first = await begin();
    const sql = `INSERT INTO ${table} VALUES (1); ROLLBACK; BEGIN; INSERT INTO ${table} VALUES (2)`;
    const transaction_id = transactionOf(await ok(several(sql, { transaction_id: first })));
    expect(transaction_id).not.toBe(first);
    await ok(query(server, 'COMMIT', { transaction_id }));
    expect(await values(table)).toEqual([[2]]);
  });

  it('reports that it ended the transaction even if a later statement fails', async () => {
    const table = await newTable();
    const transaction_id = await begin();
    const answer = await several(`INSERT INTO ${table} VALUES (1); COMMIT; SELECT nope`, { transaction_id });
    expect([answer.status, removed(answer)]).toEqual([400, 'transaction_id']);
    expect(await values(table)).toEqual([[1]]);
  });

  it('leaves it aborted when a statement fails before its end', async () => {
    const table = await newTable();
    const transaction_id = await begin();
    const answer = await several(`INSERT INTO ${table} VALUES (1); SELECT nope; COMMIT`, { transaction_id });
    expect([answer.status, removed(answer)]).toEqual([400, null]);
    expect((await failure(query(server, 'COMMIT', { transaction_id }))).name).toBe('TRANSACTION_ABORTED');
    expect(removed(await ok(query(server, 'ROLLBACK', { transaction_id })))).toBe('transaction_id');
    expect(await values(table)).toEqual([]);
  });

  it('reports that a COMMIT with a conflict ended the transaction', async () => {
    const table = await newTable();
    await ok(query(server, `INSERT INTO ${table} VALUES (1)`));
    const transaction_id = await begin();
    await ok(query(server, `UPDATE ${table} SET a = 2`, { transaction_id }));
    await ok(query(server, `UPDATE ${table} SET a = 3`));
    const answer = await query(server, 'COMMIT', { transaction_id });
    expect([answer.json().errors[0].name, removed(answer)]).toEqual([
      'TRANSACTION_CONFLICT',
      'transaction_id',
    ]);
  });

  it('is refused if it is asynchronous and would end the transaction unnoticed', async () => {
    const transaction_id = await begin();
    expect((await failure(query(server, 'COMMIT', { transaction_id, async: 'true' }))).description).toContain(
      'async=true',
    );
    await ok(query(server, 'ROLLBACK', { transaction_id }));
  });
});

describe('a request sent again under its query_id', () => {
  it('executes a transaction that began and ended in it once', async () => {
    const table = await newTable();
    const sql = `BEGIN; INSERT INTO ${table} VALUES (1); INSERT INTO ${table} VALUES (2); COMMIT;
      INSERT INTO ${table} VALUES (3); BEGIN; DELETE FROM ${table} WHERE a = 3; COMMIT`;
    for (let i = 0; i < 3; i++) await ok(several(sql, { query_id: `again-${table}` }));
    expect(await values(table)).toEqual([[1], [2]]);
  });

  it('changes an open transaction once', async () => {
    const table = await newTable();
    const transaction_id = transactionOf(await ok(query(server, 'BEGIN')));
    for (let i = 0; i < 3; i++) {
      const sql = `INSERT INTO ${table} VALUES (1)`;
      const answer = await ok(query(server, sql, { transaction_id, query_id: `inside-${table}` }));
      expect(answer.headers.get('x-tessera-affected-rows')).toBe('1');
    }
    await ok(query(server, 'COMMIT', { transaction_id }));
    expect(await values(table)).toEqual([[1]]);
  });

  it('is accepted immediately after any response', async () => {
    const table = await newTable();
    const files = { f: new Blob(['a\n1\n2\n']) };
    const read = `SELECT * FROM READ_CSV('upload://f', HEADER => TRUE, INFER_SCHEMA => TRUE)`;
    const sendings: readonly [status: number, send: (params: Record<string, string>) => Promise<Answer>][] = [
      [200, (params) => upload(server, `INSERT INTO ${table} ${read}`, files, params)],
      [200, (params) => upload(server, read, files, params)],
      [
        200,
        (params) => upload(server, 'SELECT n, n AS m FROM generate_series(1, 50000) g(n)', files, params),
      ],
      [400, (params) => upload(server, `SELECT nope FROM READ_CSV('upload://f')`, files, params)],
      [200, (params) => query(server, 'SELECT 1', params)],
    ];
    for (const [i, [status, send]] of sendings.entries()) {
      const seen = new Set<number>();
      for (let n = 0; n < 12; n++) seen.add((await send({ query_id: `right-after-${i}` })).status);
      expect([...seen]).toEqual([status]);
    }
    expect(await values(table)).toEqual([[1], [2]]);
  });

  it('is in the history when its response is complete', async () => {
    for (let n = 0; n < 20; n++) {
      const query_id = `told-${n}`;
      await ok(upload(server, 'SELECT 1', { f: new Blob(['x']) }, { query_id }));
      const sql = `SELECT count(*) FROM information_schema.engine_query_history WHERE query_id = '${query_id}'`;
      expect(await rows(server, sql)).toEqual([['1']]);
    }
  });

  it('is refused with a retryable error while the first one runs', async () => {
    const params = { query_id: 'runs-still' };
    const endless = 'SELECT count(*) FROM generate_series(1, 100000000000) AS g(n) WHERE n % 7 = 3';
    const first = query(server, endless, params);
    await expect.poll(async () => (await query(server, 'SELECT 1', params)).status).toBe(409);
    const refused = await query(server, 'SELECT 1', params);
    expect(refused.json().errors[0].name).toBe('QUERY_ID_IN_USE');
    expect(refused.headers.get('retry-after')).toBe('1');
    await fetch(new URL('/cancel?query_id=runs-still', server.url), { method: 'POST' });
    expect((await first).json().errors[0].name).toBe('QUERY_CANCELLED');
    expect((await query(server, 'SELECT 1', params)).status).toBe(200);
  });
});
