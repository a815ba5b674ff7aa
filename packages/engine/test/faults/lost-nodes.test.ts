import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EngineCluster } from '../cluster/engine-cluster.ts';
import { until } from '../cluster/until.ts';
import { type Answer, query, rows } from '../http.ts';
import { ALL_FAULTS, itTakesLong } from './all-faults.ts';
import { stoppedKernel } from './kernel-processes.ts';
import {
  loadSpreadTables,
  quickScan,
  REDUCED,
  ROWS,
  SPREAD,
  slowJoin,
  slowReduction,
  slowScan,
  started,
  untilBusy,
  untilIdle,
  untilRecovered,
  untilStagesFinished,
} from './slow-queries.ts';

const TEST_MS = 180_000;
const GONE_WITHIN_MS = 30_000;

/** A disconnect must stop everything within this time on an otherwise idle machine. */
const STOPPED_WITHIN_MS = ALL_FAULTS ? 1_000 : GONE_WITHIN_MS;
const SCAN = slowScan(1);
const QUICK_SCAN = quickScan(1);
const JOIN = slowJoin(1);
const REDUCTION = slowReduction(1);

/** These tests cover rows 1 to 6, 19 and 22 of the fault table. */
describe('nodes that are lost while a query runs', () => {
  let cluster: EngineCluster;
  const answers = new Map<string, Promise<unknown[][]>>();

  beforeAll(async () => {
    cluster = await EngineCluster.start({ nodes: 3 });
    await loadSpreadTables(cluster);
  }, TEST_MS);
  afterEach(() => untilRecovered(cluster, GONE_WITHIN_MS), TEST_MS);
  afterAll(() => cluster[Symbol.asyncDispose]());

  const dataOf = (answer: Answer): unknown[][] => {
    expect(answer.status, `${answer.text}\n${cluster.logs()}`).toBe(200);
    return answer.json().data;
  };
  /** The result on one node. */
  const right = (sql: string) => {
    const known =
      answers.get(sql) ?? started(cluster, 0, sql, { enable_distributed_execution: 'false' }).then(dataOf);
    answers.set(sql, known);
    return known;
  };
  /**
   * Kills a worker once this many stages have finished and `then` has resolved; the result must be the same.
   */
  const killedAfterStages = async (stages: number, sql: string, settings = {}, then = async () => {}) => {
    const expected = await right(sql);
    const answer = started(cluster, 0, sql, settings);
    await untilStagesFinished(cluster, 0, stages);
    await then();
    await cluster.kill(2);
    expect(dataOf(await answer)).toEqual(expected);
    await untilIdle(cluster, 1, GONE_WITHIN_MS);
  };
  const runningNodes = async (n: number) =>
    (
      await rows(cluster.node(n), `SELECT node_name FROM information_schema.nodes WHERE status = 'RUNNING'`)
    ).flat();

  it(
    'a worker killed while its task runs: the task runs again elsewhere, and the profile shows it',
    async () => {
      const expected = await right(QUICK_SCAN);
      const kernel = await stoppedKernel(cluster.node(1));
      const answer = started(cluster, 0, QUICK_SCAN);
      const profile = started(cluster, 0, `EXPLAIN (ANALYZE) ${QUICK_SCAN}`);
      await untilBusy(cluster, 1, 2);
      await cluster.kill(1);
      kernel.release();
      expect(dataOf(await answer)).toEqual(expected);
      expect(String(dataOf(await profile)[0]![0])).toMatch(/in \d+ attempts/);
      await untilIdle(cluster, 2, GONE_WITHIN_MS);
    },
    TEST_MS,
  );

  itTakesLong(
    'a worker killed after it finished a stage: what it left is made again',
    () => killedAfterStages(2, JOIN),
    TEST_MS,
  );

  it(
    'a worker killed after its keys filter the rows of the next stage: the keys and the rows are the same',
    async () => {
      const [plan] = await started(cluster, 0, `EXPLAIN ${REDUCTION}`, REDUCED).then(dataOf);
      expect(String(plan![0])).toMatch(/ u \(a\), source, .*reduced by keys of stage \d+ \(a\)/);
      await killedAfterStages(1, REDUCTION, REDUCED, () => untilBusy(cluster, 2));
    },
    TEST_MS,
  );

  itTakesLong(
    'a worker stopped while it filters rows by keys of another: others do its tasks with the same keys',
    async () => {
      const expected = await right(REDUCTION);
      const answer = started(cluster, 0, REDUCTION, REDUCED);
      await untilStagesFinished(cluster, 0, 1);
      await untilBusy(cluster, 1);
      cluster.pause(1);
      await until('it is missed', GONE_WITHIN_MS, async () => (await runningNodes(0)).length === 2);
      expect(dataOf(await answer)).toEqual(expected);
      cluster.resume(1);
      await cluster.untilWhole();
    },
    TEST_MS,
  );

  it(
    'all workers killed: the coordinator continues and answers by itself',
    async () => {
      const expected = await right(QUICK_SCAN);
      const kernels = await Promise.all([1, 2].map((n) => stoppedKernel(cluster.node(n))));
      const answer = started(cluster, 0, QUICK_SCAN);
      await Promise.all([untilBusy(cluster, 1), untilBusy(cluster, 2)]);
      await Promise.all([cluster.kill(1), cluster.kill(2)]);
      for (const kernel of kernels) kernel.release();
      expect(dataOf(await answer)).toEqual(expected);
      expect(await rows(cluster.node(0), 'SELECT count(*)::int FROM t')).toEqual([[ROWS]]);
    },
    TEST_MS,
  );

  it(
    'a worker restarted at the same address: its earlier outputs are not requested',
    async () => {
      const expected = await right(JOIN);
      const answer = started(cluster, 0, JOIN);
      await untilStagesFinished(cluster, 0, 2);
      await cluster.kill(1);
      await cluster.startNode(1);
      expect(dataOf(await answer)).toEqual(expected);
      await cluster.untilWhole();
      expect(dataOf(await started(cluster, 1, QUICK_SCAN))).toEqual(await right(QUICK_SCAN));
      await untilIdle(cluster, 1, GONE_WITHIN_MS);
    },
    TEST_MS,
  );

  itTakesLong(
    'a worker stopped in its course and woken again: others do its tasks, and its late results are of no effect',
    async () => {
      const expected = await right(SCAN);
      const answer = started(cluster, 0, SCAN);
      await untilBusy(cluster, 1);
      cluster.pause(1);
      await until('it is missed', GONE_WITHIN_MS, async () => (await runningNodes(0)).length === 2);
      expect(dataOf(await answer)).toEqual(expected);
      cluster.resume(1);
      await cluster.untilWhole();
      await untilIdle(cluster, 1, GONE_WITHIN_MS);
      expect(dataOf(await started(cluster, 1, SCAN))).toEqual(await right(SCAN));
    },
    TEST_MS,
  );

  it(
    'the coordinator killed: the workers stop its tasks and keep nothing',
    async () => {
      const answer = started(cluster, 0, SCAN).then(
        () => 'answered',
        () => 'connection lost',
      );
      await Promise.all([untilBusy(cluster, 1), untilBusy(cluster, 2)]);
      await cluster.kill(0);
      expect(await answer).toBe('connection lost');
      await Promise.all([untilIdle(cluster, 1, GONE_WITHIN_MS), untilIdle(cluster, 2, GONE_WITHIN_MS)]);
      await cluster.startNode(0);
      expect(await cluster.filesOf(0, 'uploads/')).toEqual([]);
    },
    TEST_MS,
  );

  it(
    'the queries of a killed node stay in the history of the others and of its successor',
    async () => {
      await query(cluster.node(2), 'SELECT 1 /* of the third */');
      const recorded = async (n: number) =>
        (
          await rows(
            cluster.node(n),
            `SELECT n.host FROM information_schema.engine_query_history h JOIN information_schema.nodes n USING (node_name)
             WHERE h.query_text = 'SELECT 1 /* of the third */' AND h.status = 'ENDED_SUCCESSFULLY'`,
          )
        ).flat();
      expect(await recorded(2)).toEqual(['127.0.0.3']);
      await until('the first node has read it', 30_000, async () => (await recorded(0)).length === 1);
      await cluster.kill(2);
      expect(await recorded(0)).toEqual(['127.0.0.3']);
      await cluster.startNode(2);
      expect(await recorded(2)).toEqual(['127.0.0.3']);
      const [[samplers]] = (await rows(
        cluster.node(0),
        `SELECT count(*) FROM information_schema.engine_metrics_history m
         WHERE node NOT IN (SELECT node_name FROM information_schema.nodes)`,
      )) as [[string]];
      expect(Number(samplers)).toBe(0);
    },
    TEST_MS,
  );

  it(
    'a client that disconnects: all tasks stop, and nothing is kept',
    async () => {
      const abort = new AbortController();
      const url = new URL(cluster.node(0).url);
      for (const [name, value] of Object.entries(SPREAD)) url.searchParams.set(name, value);
      const gone = fetch(url, { method: 'POST', body: SCAN, signal: abort.signal }).catch(() => 'gone');
      await Promise.all([untilBusy(cluster, 1), untilBusy(cluster, 2)]);
      abort.abort();
      expect(await gone).toBe('gone');
      await Promise.all([0, 1, 2].map((n) => untilIdle(cluster, n, STOPPED_WITHIN_MS)));
      const running = `SELECT count(*)::int FROM information_schema.engine_running_queries WHERE query_text LIKE '%50021%'`;
      await until('the query is gone', GONE_WITHIN_MS, async () => {
        // Only this statement contains the text.
        return (await rows(cluster.node(0), running))[0]![0] === 1;
      });
    },
    TEST_MS,
  );
});
