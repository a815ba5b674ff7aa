import { expect, it } from 'vitest';
import { EngineCluster } from '../cluster/engine-cluster.ts';
import { query, rows } from '../http.ts';
import type { TesseraProcess } from '../tessera-process.ts';
import { Endpoints, TcpBalancer, type Times } from './endpoints.ts';
import { type Question, Traffic } from './traffic.ts';

interface Course {
  readonly times: Times;
  readonly drainDelaySeconds: number;
  /** The nodes that are replaced, in order. */
  readonly order: readonly number[];
  readonly clients: number;
}

/**
 * Replaces nodes one after the other, from the last to the first, as a StatefulSet does. In particular the
 * last one, and the one that leads the metadata log.
 */
const SHORT: Course = {
  times: { probeEveryMs: 100, heardAfterMs: 400 },
  drainDelaySeconds: 2,
  order: [2, 0],
  clients: 3,
};
/** With the delays of the chart and of Kubernetes, and every node twice: `TESSERA_ROLLING=all`. */
const LONG: Course = {
  times: { probeEveryMs: 2_000, heardAfterMs: 3_000 },
  drainDelaySeconds: 10,
  order: [2, 1, 0, 2, 1, 0],
  clients: 8,
};
const course = process.env['TESSERA_ROLLING'] === 'all' ? LONG : SHORT;

const ROWS = 20_000;
const ON_ALL_NODES = { min_distributed_bytes: '0', whole_table_bytes: '0' };
const SUM = (ROWS * (ROWS + 1)) / 2;
const QUESTIONS: readonly Question[] = [
  { sql: 'SELECT count(*)::int FROM facts', settings: {}, expected: `[[${ROWS}]]` },
  {
    sql: 'SELECT k::int, count(*)::int, sum(n)::int FROM facts GROUP BY k ORDER BY k LIMIT 1',
    settings: ON_ALL_NODES,
    expected: '[[0,4000,40010000]]',
  },
  {
    sql: 'SELECT count(*)::int, sum(a.n)::int FROM facts a JOIN facts b ON a.n = b.n',
    settings: { ...ON_ALL_NODES, broadcast_limit_bytes: '0' },
    expected: `[[${ROWS},${SUM}]]`,
  },
  {
    sql: 'SELECT count(*)::int FROM facts a, generate_series(1, 100) AS g(i) WHERE (a.n + g.i) % 7 = 0',
    settings: ON_ALL_NODES,
    expected: '[[285714]]',
  },
];

const portOf = (address: string): number => Number(address.split(':').at(-1));

async function fill(node: TesseraProcess): Promise<void> {
  const parts = 4;
  const run = async (sql: string) => {
    const answer = await query(node, sql);
    expect(answer.status, answer.text).toBe(200);
  };
  await run('CREATE TABLE facts (n BIGINT, k BIGINT)');
  await run('CREATE TABLE added (n BIGINT)');
  for (let part = 0; part < parts; part++) {
    const from = 1 + (part * ROWS) / parts;
    await run(
      `INSERT INTO facts SELECT n, n % 5 FROM generate_series(${from}, ${from - 1 + ROWS / parts}) AS g(n)`,
    );
  }
}

it(
  'nodes are replaced one by one, and no query fails',
  async () => {
    await using cluster = await EngineCluster.open({ nodes: 3, engine: { termination_grace_period: '30s' } });
    const start = (n: number) =>
      cluster.startNode(n, {
        args: ['--postgres-port', '0', '--drain-delay', String(course.drainDelaySeconds)],
      });
    await using endpoints = new Endpoints(course.times);
    await Promise.all([0, 1, 2].map(async (n) => endpoints.add(n, await start(n))));
    await cluster.untilWhole();
    await fill(cluster.node(0));
    await using http = await TcpBalancer.start(endpoints, ({ url }) => portOf(url));
    await using postgres = await TcpBalancer.start(endpoints, (node) => portOf(node.postgres));
    await using traffic = new Traffic();
    traffic.asks(http.port, course.clients, QUESTIONS);
    traffic.inserts(http.port);
    traffic.asksPostgres(postgres.port, QUESTIONS[0]!.sql, QUESTIONS[0]!.expected);

    for (const n of course.order) {
      endpoints.terminate(n);
      expect(await cluster.stop(n)).toBe(0);
      await endpoints.add(n, await start(n));
    }
    await traffic.stop();

    const { queries, failures, ended } = traffic.met;
    const summary = `${queries} queries, ${traffic.inserted.length} of them INSERT; ${ended} PostgreSQL connections ended`;
    process.stderr.write(`${summary}\n`);
    expect(failures).toEqual([]);
    expect(ended).toBeLessThanOrEqual(course.order.length);
    const [[count, sum]] = (await rows(cluster.node(1), 'SELECT count(*)::int, sum(n)::int FROM added')) as [
      [number, number],
    ];
    expect([count, sum]).toEqual([traffic.inserted.length, traffic.inserted.reduce((a, b) => a + b, 0)]);
    expect(queries).toBeGreaterThan(50);
  },
  course === LONG ? 600_000 : 300_000,
);
