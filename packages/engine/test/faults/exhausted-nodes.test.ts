import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EngineCluster } from '../cluster/engine-cluster.ts';
import { metric } from '../cluster/metrics.ts';
import { until } from '../cluster/until.ts';
import { type Answer, query, rows } from '../http.ts';
import { itTakesLong } from './all-faults.ts';
import { kernelPid, residentBytes } from './kernel-processes.ts';
import { canMount, Disk } from './mounts.ts';
import { SlowClient } from './slow-client.ts';
import {
  loadSpreadTables,
  REDUCED,
  ROWS,
  slowReduction,
  slowScan,
  started,
  untilBusy,
  untilIdle,
  untilStagesFinished,
} from './slow-queries.ts';

const TEST_MS = 240_000;
const WITHIN_MS = 30_000;
const MEMORY = 768 * 2 ** 20;
/** Two nodes: the one that coordinates and the one that is exhausted. */
const [ASKED, STRUCK] = [0, 1];

/**
 * These tests cover rows 15, 18, 19, 20 and 21 of the fault table: nodes that run out of a resource, and a
 * kernel that dies.
 */
describe('nodes that run out of something', () => {
  let cluster: EngineCluster;
  /** The correct results of the statements that run while a kernel dies. */
  const slowRight = new Map<string, unknown[][]>();

  beforeAll(async () => {
    cluster = await EngineCluster.start({ nodes: 2, engine: { max_server_memory_usage: MEMORY } });
    await loadSpreadTables(cluster);
  }, TEST_MS);
  afterAll(() => cluster?.[Symbol.asyncDispose]());
  afterEach(async () => {
    for (const n of [ASKED, STRUCK]) await untilIdle(cluster, n, WITHIN_MS);
  });

  const dataOf = (answer: Answer): unknown[][] => {
    expect(answer.status, `${answer.text}\n${cluster.logs()}`).toBe(200);
    return answer.json().data;
  };
  const alone = { enable_distributed_execution: 'false' };
  const right = async (sql: string) => dataOf(await started(cluster, ASKED, sql, alone));
  const works = async () => {
    for (const n of [ASKED, STRUCK]) {
      const counted = 'SELECT count(*)::int, count(DISTINCT c)::int FROM t';
      expect(dataOf(await started(cluster, n, counted))).toEqual([[ROWS, ROWS]]);
    }
  };
  const itMounts = (title: string, test: () => Promise<void>) =>
    it.skipIf(!canMount)(canMount ? title : `${title}: skipped, this user may not mount`, test, TEST_MS);

  /** A table that no node has read yet. */
  async function coldTable(name: string): Promise<string> {
    const run = async (sql: string) => expect((await query(cluster.node(ASKED), sql)).text).toBe('');
    await run(`CREATE TABLE ${name} (a INT, c TEXT)`);
    for (const piece of [0, 1, 2, 3]) {
      const range = `generate_series(${piece * 1_000}, ${piece * 1_000 + 999})`;
      await run(`INSERT INTO ${name} SELECT x, md5(x::text) FROM ${range} g(x)`);
    }
    return `SELECT a % 5 AS k, count(*)::int AS n, max(c) AS c FROM ${name} GROUP BY k ORDER BY k`;
  }

  describe.each([
    { fault: 'is full', size: '1m', isReadOnly: false },
    { fault: 'takes no writes', size: '600m', isReadOnly: true },
  ])('the disk of the cache $fault', ({ size, isReadOnly }) => {
    itMounts('its tasks are done elsewhere; asked itself it says why; then it is as before', async () => {
      const name = isReadOnly ? 'cold_refused' : 'cold_full';
      const sql = await coldTable(name);
      const expected = await right(sql);
      {
        using disk = await Disk.over(join(cluster.dataDirectory(STRUCK), 'tablets'), size);
        if (isReadOnly) disk.refuseWrites();
        const profile = await started(cluster, ASKED, `EXPLAIN (ANALYZE) ${sql}`);
        expect(String(dataOf(profile)[0]![0])).toMatch(/in \d+ attempts/);
        expect(dataOf(await started(cluster, ASKED, sql))).toEqual(expected);
        const refused = await started(cluster, STRUCK, sql, alone);
        expect([refused.status, refused.text]).toEqual([
          isReadOnly ? 503 : 507,
          expect.stringMatching(/disk/i),
        ]);
      }
      expect(dataOf(await started(cluster, STRUCK, sql, alone))).toEqual(expected);
      expect(dataOf(await started(cluster, ASKED, sql))).toEqual(expected);
    });
  });

  it(
    'a task that needs more memory than exists fails with that error, and other queries are not affected',
    async () => {
      // The query uses a list, because the kernel does not account for the memory of string_agg.
      const hungry = `SELECT t.b % 2 AS k, length(list(repeat(t.c || u.c, 8))) FROM t JOIN u ON t.b = u.b GROUP BY k`;
      const answer = started(cluster, ASKED, hungry);
      await untilBusy(cluster, STRUCK);
      await works();
      const { status, text } = await answer;
      expect([status, text], cluster.logs()).toEqual([500, expect.stringMatching(/memory/i)]);
      // A kernel that takes a lack of memory for an internal error is replaced without affecting other
      // queries.
      for (const n of [ASKED, STRUCK]) {
        const restarts = await metric(cluster.node(n), 'tessera_kernel_restarts_total{process="queries"}');
        expect(restarts, cluster.logs()).toBeLessThanOrEqual(1);
      }
      await works();
    },
    TEST_MS,
  );

  async function killKernel(signal: NodeJS.Signals, sql = slowScan(22), settings = {}): Promise<void> {
    const expected = slowRight.get(sql) ?? (await right(sql));
    slowRight.set(sql, expected);
    const restarts = await metric(cluster.node(STRUCK), 'tessera_kernel_restarts_total{process="queries"}');
    const answer = started(cluster, ASKED, sql, settings);
    if (settings === REDUCED) await untilStagesFinished(cluster, ASKED, 1);
    await untilBusy(cluster, STRUCK);
    process.kill(await kernelPid(cluster.node(STRUCK)), signal);
    expect(await rows(cluster.node(ASKED), 'SELECT count(*)::int FROM t')).toEqual([[ROWS]]);
    expect(dataOf(await answer)).toEqual(expected);
    await until('the node has a new kernel', WITHIN_MS, async () => {
      return (
        (await metric(cluster.node(STRUCK), 'tessera_kernel_restarts_total{process="queries"}')) ===
        restarts + 1
      );
    });
    await cluster.untilWhole();
    await works();
  }

  it(
    'if the kernel of a worker dies of SIGSEGV, its tasks run again, and its node continues with another kernel',
    () => killKernel('SIGSEGV'),
    TEST_MS,
  );
  itTakesLong(
    'the kernel of a worker dies while it filters rows by keys that it has left itself: both are made again',
    () => killKernel('SIGSEGV', slowReduction(22), REDUCED),
    TEST_MS,
  );
  itTakesLong(
    'the kernel of a worker dies of SIGABRT: its tasks are run again, its node lives on with another kernel',
    () => killKernel('SIGABRT'),
    TEST_MS,
  );

  it(
    'a client that reads a large result slowly and disconnects uses bounded memory, does not delay others, and leaves nothing',
    async () => {
      const large = 'SELECT t.a, u.a, t.c, u.c FROM t JOIN u ON t.b = u.b';
      const residentBefore = await Promise.all([ASKED, STRUCK].map((n) => residentBytes(cluster.node(n))));
      using client = await SlowClient.ask(cluster.node(ASKED), large);
      for (let read = 0; read < 20; read++) {
        expect(await client.take(1_024)).toHaveLength(1_024);
        const counted = `SELECT count(*)::int FROM t WHERE a <> ${read}`;
        for (const n of [ASKED, STRUCK]) {
          expect(dataOf(await started(cluster, n, counted))).toEqual([[ROWS - 1]]);
        }
      }
      const resident = await Promise.all([ASKED, STRUCK].map((n) => residentBytes(cluster.node(n))));
      for (const [n, bytes] of resident.entries()) expect(bytes - residentBefore[n]!).toBeLessThan(MEMORY);
      const running = 'SELECT count(*)::int FROM information_schema.engine_running_queries';
      expect(await rows(cluster.node(ASKED), running)).toEqual([[2]]);
      client[Symbol.dispose]();
      await until('the query is gone', WITHIN_MS, async () => {
        return (await rows(cluster.node(ASKED), running))[0]![0] === 1;
      });
    },
    TEST_MS,
  );
});
