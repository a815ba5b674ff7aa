import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { query, rows } from '../http.ts';
import type { TesseraProcess } from '../tessera-process.ts';
import { command } from './command.ts';
import { EngineCluster, EXCHANGE_BUFFER_BYTES } from './engine-cluster.ts';
import { metric } from './metrics.ts';

const TIMEOUT_MS = 90_000;
/** Processes start slowly on loaded machines. */
const POLL = { timeout: 40_000, interval: 100 };
const SLOW = 'SELECT count(*) FROM generate_series(1, 30000000000) AS g(n) WHERE n % 7 = 3';
/** The first node owns two of them, the others one each. */
const PLACES = 4;

let cluster: EngineCluster;
beforeAll(async () => {
  const admission_controller = { enabled: true, max_concurrent_admitted_queries: PLACES };
  cluster = await EngineCluster.start({
    nodes: 3,
    execution: { admission_controller, enable_shuffle: `\${env:SHUFFLE}` },
    env: { SHUFFLE: 'true' },
  });
}, TIMEOUT_MS);
afterAll(() => cluster?.[Symbol.asyncDispose]());

/** Runs a node that may lock 64 KiB, which is too little for any buffer. The privilege to lock more is taken from root. */
const LOCKING_NOTHING = [
  ...(process.getuid!() === 0 ? ['setpriv', '--bounding-set=-ipc_lock'] : []),
  ...['prlimit', '--memlock=65536'],
];

/** The records about exchange buffers in the log of a node. */
const reports = ({ log }: TesseraProcess) => log.filter((line) => 'bufferBytes' in line);

/** The locked memory of the processes of a node, ascending. */
async function lockedBytes({ child: { pid } }: TesseraProcess): Promise<readonly number[]> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
  const statuses = [pid, ...children].map((id) => readFile(`/proc/${id}/status`, 'utf8'));
  const locked = (await Promise.all(statuses)).map(
    (status) => 1024 * Number(/^VmLck:\s+(\d+) kB$/m.exec(status)?.[1]),
  );
  return locked.sort((a, b) => a - b);
}

/** The nodes as node `n` sees them. */
const seenBy = async (n: number) =>
  (await rows(cluster.node(n), 'SELECT node_name, status FROM information_schema.nodes ORDER BY 1')).map(
    ([name, status]) => `${name} ${status}`,
  );
const statuses = (...all: string[]) => all.map((status, n) => `${cluster.nameOf(n)} ${status}`).sort();

describe('three nodes', () => {
  it('are listed by each node and by `tessera nodes`', async () => {
    for (const n of [0, 1, 2]) expect(await seenBy(n)).toEqual(statuses('RUNNING', 'RUNNING', 'RUNNING'));
    const { stdout, code } = await command('nodes', '-u', cluster.node(1).url, '--format', 'tsv');
    expect(code).toBe(0);
    expect(stdout.match(/\tRUNNING\t/g)).toHaveLength(3);
  });

  it(
    'answer a query together',
    async () => {
      const settings = { min_distributed_bytes: '0', whole_table_bytes: '0', output_format: 'JSON_Compact' };
      const numbers = (from: number) =>
        `SELECT n, n % 7 AS k FROM generate_series(${from}, ${from + 999}) AS g(n)`;
      await query(cluster.node(0), `CREATE TABLE t AS ${numbers(1)}`);
      for (const from of [1_001, 2_001]) await query(cluster.node(1), `INSERT INTO t ${numbers(from)}`);
      const sql = 'SELECT k, count(*)::int, sum(n)::int FROM t GROUP BY k ORDER BY k';
      const expected = Array.from({ length: 7 }, (_, k) => {
        const members = Array.from({ length: 3_000 }, (_, i) => i + 1).filter((n) => n % 7 === k);
        return [k, members.length, members.reduce((sum, n) => sum + n, 0)];
      });
      for (const n of [0, 1, 2]) {
        const answer = await query(cluster.node(n), sql, settings);
        expect(answer.json().data.map((row: unknown[]) => row.map(Number))).toEqual(expected);
      }
      // Small outputs are released with the next ping.
      for (const n of [0, 1, 2])
        await expect.poll(() => metric(cluster.node(n), 'tessera_cluster_exchange_bytes'), POLL).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'list the queries of each other and can cancel them',
    async () => {
      const running = query(cluster.node(0), SLOW);
      const listed = async () =>
        (await command('ps', '-u', cluster.node(1).url, '--format', 'tsv')).stdout.split('\n').slice(1, -1);
      await expect.poll(async () => (await listed()).length, POLL).toBe(1);
      const [id, node] = (await listed())[0]!.split('\t');
      expect(node).toBe(cluster.nameOf(0));
      expect((await command('cancel', '-u', cluster.node(2).url, id!)).code).toBe(0);
      expect((await running).json().errors[0].name).toBe('QUERY_CANCELLED');
      const again = await command('cancel', '-u', cluster.node(2).url, id!);
      expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining(id!) });
    },
    TIMEOUT_MS,
  );
});

/** A query that keeps its place of admission without using a processor: its client does not read the result. */
class HeldQuery {
  readonly node: number;
  /** Kept, because the connection of a response that is collected as garbage is closed. */
  #response: Response | undefined;
  readonly #abort = new AbortController();

  constructor(node: number) {
    this.node = node;
    const body = 'SELECT n FROM generate_series(1, 30000000) AS g(n)';
    const { signal } = this.#abort;
    fetch(cluster.node(node).url, { method: 'POST', body, signal }).then(
      (response) => {
        this.#response = response;
      },
      () => undefined,
    );
  }

  get isAdmitted(): boolean {
    return this.#response?.status === 200;
  }

  end(): void {
    this.#abort.abort();
  }
}

const held: HeldQuery[] = [];
/** The number of held queries of each node that were admitted. */
const admitted = () => cluster.places.map((_, n) => held.filter((q) => q.node === n && q.isAdmitted).length);

/** Starts held queries. */
function hold(node: number, queries: number): void {
  for (let i = 0; i < queries; i++) held.push(new HeldQuery(node));
}

/** Ends one held query of a node that was admitted. */
function endOne(node: number): void {
  const [query] = held.splice(
    held.findIndex((q) => q.node === node && q.isAdmitted),
    1,
  );
  query!.end();
}

/** Ends all held queries, and waits until no node runs one. */
async function endAll(): Promise<void> {
  while (held.length > 0) held.pop()!.end();
  const running =
    "SELECT count(*)::int FROM information_schema.engine_running_queries WHERE query_text LIKE 'SELECT n FROM%'";
  await expect.poll(() => rows(cluster.node(0), running), POLL).toEqual([[0]]);
}

const waiting = () => Promise.all([0, 1, 2].map((n) => metric(cluster.node(n), 'tessera_queued_queries')));
/** The number of queries that the first node may run. */
const places = () => metric(cluster.node(0), 'tessera_admission_places');

describe('max_concurrent_admitted_queries', () => {
  it(
    'is a limit of all nodes together, which lend each other the places that they do not need',
    async () => {
      onTestFinished(endAll);
      hold(0, PLACES + 2);
      await expect.poll(admitted, POLL).toEqual([PLACES, 0, 0]);
      await expect.poll(waiting, POLL).toEqual([2, 0, 0]);
      await expect.poll(places, POLL).toBe(PLACES);
      // The other nodes want their places back, before the queries that have been waiting on the first node.
      hold(1, 1);
      hold(2, 1);
      await expect.poll(waiting, POLL).toEqual([2, 1, 1]);
      await expect.poll(places, POLL).toBe(2);
      endOne(0);
      endOne(0);
      await expect.poll(admitted, POLL).toEqual([2, 1, 1]);
      expect(await waiting()).toEqual([2, 0, 0]);
      endOne(2);
      await expect.poll(admitted, POLL).toEqual([3, 1, 0]);
    },
    TIMEOUT_MS,
  );
});

describe('a node', () => {
  it(
    'that stalls is lost for the others, and finds all of them alive when it continues',
    async () => {
      cluster.pause(1);
      await expect.poll(() => seenBy(0), POLL).toEqual(statuses('RUNNING', 'LOST', 'RUNNING'));
      cluster.resume(1);
      await expect.poll(() => seenBy(0), POLL).toEqual(statuses('RUNNING', 'RUNNING', 'RUNNING'));
      const lost = cluster.node(1).log.filter(({ msg }) => msg === 'a node is lost');
      expect(lost).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'that dies is lost at once, and counts as another node after a restart',
    async () => {
      await cluster.kill(1);
      await expect.poll(() => seenBy(2), POLL).toEqual(statuses('RUNNING', 'LOST', 'RUNNING'));
      const reason = async () =>
        String(
          await rows(cluster.node(2), "SELECT reason FROM information_schema.nodes WHERE status = 'LOST'"),
        );
      await expect.poll(reason, POLL).toContain('ECONNREFUSED');
      const engines = await rows(cluster.node(2), 'SELECT nodes FROM information_schema.engines');
      expect(engines).toEqual([[2]]);
      await cluster.startNode(1, { runBy: LOCKING_NOTHING });
      await cluster.untilWhole();
    },
    TIMEOUT_MS,
  );

  it(
    'locks its exchange buffers, in its own process and in its kernel process',
    async (t) => {
      const locked = await lockedBytes(cluster.node(0));
      const [report, ...more] = reports(cluster.node(0));
      expect([report?.bufferBytes, more]).toEqual([EXCHANGE_BUFFER_BYTES, []]);
      if (report!.level === 'warn') t.skip(`RLIMIT_MEMLOCK is ${report!.memlockLimitBytes} bytes`);
      expect(report!.msg).toBe('the exchange buffers are locked in memory');
      // The kernel process that only plans receives no rows.
      expect(locked).toEqual([0, EXCHANGE_BUFFER_BYTES, EXCHANGE_BUFFER_BYTES]);
    },
    TIMEOUT_MS,
  );

  it(
    'that may not lock its exchange buffers says so once, with the cure, and exchanges rows nevertheless',
    async () => {
      expect(reports(cluster.node(1))).toEqual([
        expect.objectContaining({
          level: 'warn',
          bufferBytes: EXCHANGE_BUFFER_BYTES,
          memlockLimitBytes: 65_536,
        }),
      ]);
      expect(reports(cluster.node(1))[0]!.msg).toContain('"ulimit -l 4096"');
      expect(await lockedBytes(cluster.node(1))).toEqual([0, 0, 0]);
      const distributed = {
        min_distributed_bytes: '0',
        whole_table_bytes: '0',
        output_format: 'JSON_Compact',
      };
      await query(
        cluster.node(1),
        'CREATE TABLE wide AS SELECT n, md5(n::text) AS t FROM generate_series(1, 200000) AS g(n)',
      );
      const sql = 'SELECT count(*)::int FROM wide AS a JOIN wide AS b ON a.t = b.t';
      for (const n of [0, 1]) {
        const answer = await query(cluster.node(n), sql, { ...distributed, broadcast_limit_bytes: '0' });
        expect(answer.json().data).toEqual([[200_000]]);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'announces that it will stop',
    async () => {
      const running = query(cluster.node(2), SLOW);
      await expect
        .poll(
          async () =>
            (
              await rows(
                cluster.node(2),
                'SELECT count(*)::int FROM information_schema.engine_running_queries',
              )
            )[0],
          POLL,
        )
        .toEqual([2]);
      const stopped = cluster.node(2).stop('SIGTERM');
      await expect.poll(() => seenBy(0), POLL).toEqual(statuses('RUNNING', 'RUNNING', 'DRAINING'));
      const ids = (
        await rows(
          cluster.node(0),
          "SELECT query_id FROM information_schema.engine_running_queries WHERE query_text LIKE '%30000000000%' AND node_name = '" +
            cluster.nameOf(2) +
            "'",
        )
      ).flat();
      expect(ids).toHaveLength(1);
      await query(cluster.node(0), `CANCEL QUERY WHERE query_id = '${ids[0]}'`);
      expect((await running).json().errors[0].name).toBe('QUERY_CANCELLED');
      expect(await stopped).toBe(0);
      await expect.poll(() => seenBy(0), POLL).toEqual(statuses('RUNNING', 'RUNNING', 'LOST'));
    },
    TIMEOUT_MS,
  );

  it(
    'with execution.enable_shuffle: false answers alone, and says so in its log and in EXPLAIN',
    async () => {
      const node = await cluster.startNode(2, { env: { SHUFFLE: 'false' } });
      await expect.poll(() => seenBy(2), POLL).toEqual(statuses('RUNNING', 'RUNNING', 'RUNNING'));
      const { listeners } = node.log.find(({ msg }) => msg === 'listening') as { listeners: string[] };
      expect(listeners.some((one) => one.startsWith('shuffle '))).toBe(false);
      expect(reports(node)).toEqual([]);
      const warnings = node.log.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
      expect(warnings).toContain(
        'execution.enable_shuffle is false: each query runs on the node that receives it',
      );
      const settings = { min_distributed_bytes: '0', nodes_per_query: '3' };
      const sql = 'SELECT count(*)::int FROM wide';
      const explained = (n: number) => query(cluster.node(n), `EXPLAIN (PHYSICAL) ${sql}`, settings);
      expect((await explained(0)).text).toContain('stage 0');
      expect((await explained(2)).text).toContain('On one node: execution.enable_shuffle is false');
      expect(await rows(node, sql)).toEqual([[200_000]]);
    },
    TIMEOUT_MS,
  );
});
