import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { Benchmark } from '../benchmark.ts';
import { MemoryWatch } from '../processes/resident-memory.ts';
import { startTessera } from '../processes/tessera.ts';
import { figure, percentile, type Target } from '../report/figure.ts';
import type { Line } from '../report/report.ts';

const CONNECTIONS = [1, 2, 8];
const BUSY = 50;
const IDLE = 500;
const MEASURED_MS = 5_000;
const WARM_UP_MS = 1_000;
/** Until the node's code is compiled; else the first lines of a short run would measure the compiler. */
const FIRST_WARM_UP = { connections: 8, milliseconds: 3_000 } as const;
const RUNS = 3;
const BYTES_PER_MB = 1e6;
const SETTLE_MS = 2_000;

/** The targets, by the number of connections. */
const P50_TARGETS: Readonly<Record<number, Target>> = { 1: { at: 'most', value: 0.7 } };
const THROUGHPUT_TARGETS: Readonly<Record<number, Target>> = { 8: { at: 'least', value: 2_500 } };
/** A named statement: parsed once per connection, then bound and executed. */
const PREPARED = { name: 'answer', text: 'SELECT 42' };

/** Round trips of the smallest prepared statement on the PostgreSQL wire, with few connections and with many. */
export const postgres: Benchmark = async ({ scale, options, progress }) => {
  const runs = options.runs ?? RUNS;
  const server = await startTessera({ args: ['--postgres-port', '0'] });
  const watch = new MemoryWatch(server.pid!);
  const url = `${server.postgresUrl!.replace('//', '//tessera@')}/tessera`;
  const idle: Client[] = [];
  const lines: Line[] = [];
  try {
    const measure = async (what: string, connections: number) => {
      progress(`postgres: ${what}`);
      lines.push(await roundTripLine(what, url, connections, { scale, runs }));
    };
    progress('postgres: warm-up');
    await warmUp(url);
    for (const connections of CONNECTIONS) {
      const what = `prepared, ${connections} connection${connections === 1 ? '' : 's'}`;
      await measure(what, connections);
    }
    const many = Math.ceil(IDLE * Math.min(1, scale));
    progress(`postgres: ${many} idle connections`);
    await pause(SETTLE_MS);
    watch.restart();
    const before = watch.peakBytes;
    for (let n = 0; n < many; n++) idle.push(await connected(url));
    await pause(SETTLE_MS);
    watch.restart();
    lines.push({
      what: `${many} idle connections`,
      figures: { memory: figure('MB', [(watch.peakBytes - before) / BYTES_PER_MB]) },
    });
    await measure(`prepared, ${BUSY} busy beside ${many} idle`, BUSY);
  } finally {
    await Promise.all(idle.map((client) => client.end()));
    await watch.stop();
    await server.stop();
  }
  return {
    benchmark: 'postgres',
    title: '`SELECT 42`, prepared, on the PostgreSQL wire',
    method: `npm's pg: each connection binds and executes its prepared statement when it has read the last answer, for ${(MEASURED_MS * scale) / 1000} s; ${runs} runs after a warm-up, the first of which takes ${FIRST_WARM_UP.milliseconds / 1000} s. Memory is what the node and its kernel processes hold more than before the idle connections came.`,
    lines,
  };
};

async function warmUp(url: string): Promise<void> {
  const { connections, milliseconds } = FIRST_WARM_UP;
  const clients = await Promise.all(Array.from({ length: connections }, () => connected(url)));
  await roundTrips(clients, milliseconds);
  await Promise.all(clients.map((client) => client.end()));
}

async function roundTripLine(
  what: string,
  url: string,
  connections: number,
  { scale, runs }: { readonly scale: number; readonly runs: number },
): Promise<Line> {
  const clients = await Promise.all(Array.from({ length: connections }, () => connected(url)));
  try {
    await roundTrips(clients, WARM_UP_MS * scale);
    const samples: number[][] = [];
    for (let run = 0; run < runs; run++) samples.push(await roundTrips(clients, MEASURED_MS * scale));
    const latency = (p: number) => samples.map((run) => percentile(run, p));
    const seconds = (MEASURED_MS * scale) / 1000;
    const throughput = samples.map((run) => run.length / seconds);
    return {
      what,
      figures: {
        p50: figure('ms', latency(50), P50_TARGETS[connections]),
        p90: figure('ms', latency(90)),
        p99: figure('ms', latency(99)),
        throughput: figure('requests/s', throughput, THROUGHPUT_TARGETS[connections]),
      },
    };
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function connected(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}

/** The latencies of all round trips within the time, ascending, in ms. */
async function roundTrips(clients: readonly Client[], milliseconds: number): Promise<number[]> {
  const latencies: number[] = [];
  const end = performance.now() + milliseconds;
  const connection = async (client: Client) => {
    while (performance.now() < end) {
      const start = performance.now();
      const { rows } = await client.query(PREPARED);
      if (rows.length !== 1 || Object.values(rows[0]).join() !== '42')
        throw new Error(`SELECT 42: ${JSON.stringify(rows)}`);
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(clients.map(connection));
  return latencies.sort((a, b) => a - b);
}
