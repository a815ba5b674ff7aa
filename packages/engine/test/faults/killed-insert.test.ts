import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, query, rows } from '../http.ts';
import { Cluster } from './cluster.ts';
import { describeOnGateway, startGateway } from './gateway.ts';

const LOG = { method: 'PUT', path: 'meta/log/' };
/** Enough rows that their tablets are objects and not parts of the log. */
const ROWS = 40_000;
const INSERT = `INSERT INTO t SELECT x, md5(x::text) FROM generate_series(1, ${ROWS}) g(x)`;

/** This test covers row 7 of the fault table: a node is killed exactly where it commits. */
describeOnGateway('a node that is killed in an INSERT', () => {
  let stack: AsyncDisposableStack;
  let cluster: Cluster;

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const { endpoint } = stack.use(await startGateway());
    cluster = stack.use(await Cluster.open({ endpoint, nodes: 1 }));
    await cluster.start(0);
    await run('CREATE TABLE t (a int, b text) PRIMARY INDEX a');
    // The partial rows of the index are objects as well.
    await run('CREATE AGGREGATING INDEX i ON t (md5((a / 3)::text), count(*), sum(a))');
  });

  afterAll(() => stack.disposeAsync());

  const run = async (sql: string, params = {}): Promise<Answer> => {
    const answer = await query(cluster.node(0), sql, params);
    expect(answer.status, answer.text).toBe(200);
    return answer;
  };
  /** The number of rows, which the aggregating index must give as well. */
  const count = async () => {
    const sql = 'SELECT count(*)::int, sum(a)::int FROM t';
    const answers = [];
    for (const enable_aggregating_indexes of ['true', 'false'])
      answers.push(
        (await run(sql, { enable_aggregating_indexes, output_format: 'JSON_Compact' })).json().data,
      );
    expect(answers[0]).toEqual(answers[1]);
    const [[rowsWithoutIndex]] = (await rows(
      cluster.node(0),
      "SELECT rows_without_index::int FROM information_schema.indexes WHERE index_name = 'i'",
    )) as [[number]];
    expect(rowsWithoutIndex).toBe(0);
    return answers[0][0][0];
  };
  const lostConnection = (insert: Promise<Answer>) => expect(insert).rejects.toThrow('fetch failed');

  it('before its log entry is written: no rows exist, and the retry inserts them', async () => {
    await run('TRUNCATE TABLE t');
    await cluster.faults(0, { ...LOG, fault: { kind: 'silence' } });
    const insert = query(cluster.node(0), INSERT, { query_id: 'before' });
    const lost = lostConnection(insert);
    await expect.poll(async () => (await cluster.caught(0))[0], { timeout: 20_000 }).toBe(1);
    await cluster.kill(0);
    await lost;
    await cluster.faults(0);
    await cluster.start(0);
    expect(await count()).toBe(0);
    for (let time = 0; time < 2; time++) {
      await run(INSERT, { query_id: 'before' });
      expect(await count()).toBe(ROWS);
    }
    await cluster.bucket.entries();
  });

  it('after its log entry is written, before the response: all rows exist, and the retry does nothing', async () => {
    await run('TRUNCATE TABLE t');
    const before = await cluster.bucket.length();
    await cluster.faults(0, { ...LOG, fault: { kind: 'hold', passOn: true } });
    const insert = query(cluster.node(0), INSERT, { query_id: 'after' });
    const lost = lostConnection(insert);
    await expect.poll(() => cluster.bucket.length(), { timeout: 20_000 }).toBe(before + 1);
    await cluster.kill(0);
    await lost;
    await cluster.faults(0);
    await cluster.start(0);
    expect(await count()).toBe(ROWS);
    await run(INSERT, { query_id: 'after' });
    expect(await count()).toBe(ROWS);
    await cluster.bucket.entries();
  });

  it('while its log entry is in transit and arrives after the next leader has started: no rows exist', async () => {
    await run('TRUNCATE TABLE t');
    await cluster.faults(0, { ...LOG, fault: { kind: 'hold' }, times: 1 });
    const insert = query(cluster.node(0), INSERT, { query_id: 'late' });
    const lost = lostConnection(insert);
    await expect.poll(async () => (await cluster.caught(0))[0], { timeout: 20_000 }).toBe(1);
    await cluster.kill(0);
    await lost;
    await cluster.start(0);
    await run('CREATE TABLE taken (a int)');
    const length = await cluster.bucket.length();
    await cluster.faults(0);
    await run('INSERT INTO taken VALUES (1)');
    expect(await cluster.bucket.length()).toBe(length + 1);
    expect(await count()).toBe(0);
    await run(INSERT, { query_id: 'late' });
    expect(await count()).toBe(ROWS);
    await cluster.bucket.entries();
  });
});
