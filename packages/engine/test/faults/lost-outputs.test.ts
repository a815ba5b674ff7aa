import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EngineCluster } from '../cluster/engine-cluster.ts';
import { until } from '../cluster/until.ts';
import { type Answer, query, rows } from '../http.ts';
import { itTakesLong } from './all-faults.ts';
import { stoppedKernel } from './kernel-processes.ts';
import { started, untilBusy, untilRecovered, untilStagesFinished } from './slow-queries.ts';

const TEST_MS = 180_000;
const WITHIN_MS = 60_000;
const ROWS = 12_000;

/** Computes for some tenths of a millisecond with each row, unless there are fewer steps. */
const slow = (value: string, steps = 1500) =>
  `sum(list_sum(list_transform(range(0, ${steps}), lambda x: (x * ${value}) % 7)))::BIGINT`;

/** A stage over ranges of keys, in which the nodes join and group the rows that they have. */
const CO_LOCATED = `SELECT b % 10 AS g, count(*) AS n, sum(total) AS total FROM (
    SELECT k.a, min(k.b) AS b, count(*) AS lines, ${slow('l.a + k.b', 20)} AS total FROM k JOIN l ON k.a = l.a GROUP BY k.a
  ) GROUP BY 1 ORDER BY 1`;
/** A slow stage that reads the small outputs of others, which travel in the replies of their tasks. */
const INLINE = `SELECT l.b, count(*) AS n, ${slow('l.a + x.m')} AS total
  FROM l JOIN (SELECT b, min(a) AS m FROM k GROUP BY b) x ON l.b = x.b GROUP BY l.b ORDER BY l.b`;
/** The same with values that another attempt would not give again: each key has one, whichever attempts count. */
const VOLATILE = `WITH x AS MATERIALIZED (SELECT b, random() AS m FROM k GROUP BY b)
  SELECT min(n) AS least, max(n) AS most FROM (
    SELECT l.b, count(DISTINCT x.m) AS n, ${slow('l.a + (x.m * 5)::INT')} AS total FROM l JOIN x ON l.b = x.b GROUP BY l.b
  ) WHERE total IS NOT NULL`;
const SPREAD = { whole_table_bytes: '0', broadcast_limit_bytes: '1000000' };

describe('a node that is lost after its outputs were handed on', () => {
  let cluster: EngineCluster;

  beforeAll(async () => {
    cluster = await EngineCluster.start({ nodes: 3 });
    const several = { tablet_min_size_bytes: '20000', tablet_max_size_bytes: '60000' };
    for (const sql of [
      'CREATE TABLE k (a BIGINT, b BIGINT, c TEXT) PRIMARY INDEX a WITH (index_granularity = 2048)',
      'CREATE TABLE l (a BIGINT, b BIGINT) PRIMARY INDEX a WITH (index_granularity = 2048)',
      `INSERT INTO k SELECT x, x % 100, md5(x::text) FROM generate_series(1, ${ROWS}) g(x)`,
      `INSERT INTO l SELECT x / 2 + 1, x % 100 FROM generate_series(0, ${2 * ROWS - 1}) g(x)`,
    ]) {
      const answer = await query(cluster.node(0), sql, several);
      expect(answer.status, answer.text).toBe(200);
    }
  }, TEST_MS);
  afterEach(() => untilRecovered(cluster, WITHIN_MS), TEST_MS);
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const dataOf = (answer: Answer): unknown[][] => {
    expect(answer.status, `${answer.text}\n${cluster.logs()}`).toBe(200);
    return answer.json().data;
  };
  const answers = new Map<string, unknown[][]>();
  /** The result on one node. */
  const alone = async (sql: string) => {
    const known =
      answers.get(sql) ?? dataOf(await started(cluster, 0, sql, { enable_distributed_execution: 'false' }));
    answers.set(sql, known);
    return known;
  };
  const plan = async (sql: string) =>
    String(dataOf(await started(cluster, 0, `EXPLAIN ${sql}`, SPREAD))[0]![0]);
  /** The result of a query during which `harm` is done to a node that runs a task after this many stages have finished. */
  const harmed = async (sql: string, stages: number, harm: () => Promise<void>) => {
    // Tasks of the first stage run until then, however quick they are.
    const kernel = stages === 0 ? await stoppedKernel(cluster.node(2)) : undefined;
    const answer = started(cluster, 0, sql, SPREAD);
    if (stages > 0) await untilStagesFinished(cluster, 0, stages);
    await untilBusy(cluster, 2);
    await harm();
    kernel?.release();
    return dataOf(await answer);
  };
  const killed = () => cluster.kill(2);
  const paused = async () => {
    cluster.pause(2);
    await until('it is missed', WITHIN_MS, async () => {
      const living = `SELECT count(*)::INT FROM information_schema.nodes WHERE status = 'RUNNING'`;
      return (await rows(cluster.node(0), living))[0]![0] === 2;
    });
  };

  it(
    'killed while tasks over ranges of keys run: other nodes read the same ranges',
    async () => {
      expect(await plan(CO_LOCATED)).toMatch(/co-located by a/);
      const expected = await alone(CO_LOCATED);
      expect(await harmed(CO_LOCATED, 0, killed)).toEqual(expected);
      expect(dataOf(await started(cluster, 1, CO_LOCATED, SPREAD))).toEqual(expected);
    },
    TEST_MS,
  );

  it(
    'killed after its small outputs were sent with replies',
    async () => {
      const expected = await alone(INLINE);
      expect(await harmed(INLINE, 1, killed)).toEqual(expected);
    },
    TEST_MS,
  );

  it(
    'killed after it sent values that another attempt does not reproduce',
    async () => expect(await harmed(VOLATILE, 1, killed)).toEqual([['1', '1']]),
    TEST_MS,
  );

  for (const [path, sql, stages] of [
    ['ranges of keys', CO_LOCATED, 0],
    ['small outputs', INLINE, 1],
  ] as const)
    (path === 'small outputs' ? it : itTakesLong)(
      `stopped while tasks read ${path}, and woken again`,
      async () => {
        const expected = await alone(sql);
        expect(await harmed(sql, stages, paused)).toEqual(expected);
        cluster.resume(2);
        await cluster.untilWhole();
        expect(dataOf(await started(cluster, 2, sql, SPREAD))).toEqual(expected);
      },
      TEST_MS,
    );
});
