import { Pool } from 'undici';
import type { Benchmark } from '../benchmark.ts';
import { bearer } from '../http/connection.ts';
import { figure, percentile, type Target } from '../report/figure.ts';
import type { Line } from '../report/report.ts';

const CONNECTIONS = [1, 2, 4, 8, 16];
const MEASURED_MS = 5_000;
const WARM_UP_MS = 1_000;
/** Until the node's code is compiled; else the first lines of a short run would measure the compiler. */
const FIRST_WARM_UP = { connections: 8, milliseconds: 3_000 } as const;
const RUNS = 3;

/** The targets, by the number of connections. */
const P50_TARGETS: Readonly<Record<number, Target>> = { 1: { at: 'most', value: 1 } };
const THROUGHPUT_TARGETS: Readonly<Record<number, Target>> = { 8: { at: 'least', value: 2_500 } };

/** Round trips of the smallest statement over keep-alive connections. */
export const select42: Benchmark = async ({ http, scale, options, progress, ...bench }) => {
  const target = await bench.target();
  const lines: Line[] = [];
  const { connections: first, milliseconds } = FIRST_WARM_UP;
  await roundTrips(target.url, bearer(target.token), first, milliseconds);
  for (const connections of CONNECTIONS) {
    for (const [server, url] of [
      ['Tessera', target.url],
      ['node:http', http.url],
    ] as const) {
      progress(`SELECT 42 at ${server}, ${connections} connections`);
      const headers = bearer(target.token);
      await roundTrips(url, headers, connections, WARM_UP_MS * scale);
      const samples: number[][] = [];
      for (let run = 0; run < (options.runs ?? RUNS); run++)
        samples.push(await roundTrips(url, headers, connections, MEASURED_MS * scale));
      lines.push(line({ server, connections, isOurs: server === 'Tessera' }, samples, scale));
    }
  }
  return {
    benchmark: 'select42',
    title: '`SELECT 42` over keep-alive HTTP',
    method: `Each connection sends the next statement when it has read the last answer, for ${(MEASURED_MS * scale) / 1000} s; ${options.runs ?? RUNS} runs after a warm-up, the first of which takes ${FIRST_WARM_UP.milliseconds / 1000} s. Beside it the same client against a bare node:http server that answers a constant: the floor that client and HTTP set on this machine.`,
    lines,
  };
};

interface Measured {
  readonly server: string;
  readonly connections: number;
  readonly isOurs: boolean;
}

function line({ server, connections, isOurs }: Measured, samples: number[][], scale: number): Line {
  const latency = (p: number) => samples.map((run) => percentile(run, p));
  const seconds = (MEASURED_MS * scale) / 1000;
  const throughput = samples.map((run) => run.length / seconds);
  return {
    what: `${server}, ${connections} connection${connections === 1 ? '' : 's'}`,
    figures: {
      p50: figure('ms', latency(50), isOurs ? P50_TARGETS[connections] : undefined),
      p90: figure('ms', latency(90)),
      p99: figure('ms', latency(99)),
      throughput: figure('requests/s', throughput, isOurs ? THROUGHPUT_TARGETS[connections] : undefined),
    },
  };
}

/** The latencies of all round trips within the time, ascending, in ms. */
async function roundTrips(
  url: string,
  headers: Readonly<Record<string, string>>,
  connections: number,
  milliseconds: number,
): Promise<number[]> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const latencies: number[] = [];
  const end = performance.now() + milliseconds;
  const connection = async () => {
    while (performance.now() < end) {
      const start = performance.now();
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: '/',
        body: 'SELECT 42',
        headers,
      });
      const answer = await body.text();
      if (statusCode !== 200 || !answer.endsWith('42\n'))
        throw new Error(`SELECT 42: HTTP ${statusCode}: ${answer}`);
      latencies.push(performance.now() - start);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, connection));
  } finally {
    await pool.close();
  }
  return latencies.sort((a, b) => a - b);
}
