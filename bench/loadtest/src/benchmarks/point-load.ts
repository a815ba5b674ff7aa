import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { Connection } from '../http/connection.ts';
import { LoadProcess } from '../load/load-process.ts';
import { startTessera } from '../processes/tessera.ts';
import { wholeTableInMemory } from '../processes/whole-table.ts';
import type { Line } from '../report/report.ts';
import { latencyByPercentile, latencyOverThroughput } from './point-load/charts.ts';
import { type Level, levelLine } from './point-load/level.ts';
import type { PointLoadParameters } from './point-load/parameters.ts';
import { peerLines } from './point-load/peer-lines.ts';
import { POINTS, pointRows } from './point-load/points.ts';

const PROGRAM = join(import.meta.dirname, 'point-load/point-load-process.ts');
const ROWS = 10_000_000;
const LEAST_ROWS = 10_000;
const CONNECTIONS = [1, 4, 16, 64];
const PARTS = [0.5, 0.8, 0.95];
const WIRES = ['HTTP', 'PostgreSQL wire'];
const MEASURED_MS = 5_000;
const WARM_UP_MS = 1_000;
const LEAST_MS = 200;
const RUNS = 3;

/** Point queries by many clients: the maximum throughput, and latencies below it. */
export const pointLoad: Benchmark = async (bench) => {
  const { scale, options, progress } = bench;
  const rows = Math.max(LEAST_ROWS, Math.round(ROWS * scale));
  const runs = options.runs ?? RUNS;
  const node = await startTessera({ args: ['--postgres-port', '0'] });
  const connection = new Connection(node.url);
  const client = new LoadProcess<PointLoadParameters>(PROGRAM);
  try {
    progress(`writing ${rows} rows`);
    await connection.run(
      `CREATE TABLE ${POINTS} (id BIGINT NOT NULL, customer INT, amount DOUBLE, label TEXT) PRIMARY INDEX id`,
    );
    await connection.run(`INSERT INTO ${POINTS} ${pointRows(rows)}`);
    progress('waiting until the table is in memory');
    await wholeTableInMemory(node, connection, POINTS);
    const parameters = {
      url: node.url,
      postgresUrl: `${node.postgresUrl!.replace('//', '//tessera@')}/tessera`,
      rows,
      seed: options.seed,
    };
    const times = {
      warmUpMs: Math.max(LEAST_MS, WARM_UP_MS * scale),
      measuredMs: Math.max(LEAST_MS, MEASURED_MS * scale),
    };
    const measure = async (level: Omit<Level, 'results' | 'lags'>): Promise<Level> => {
      const measured: Level = { ...level, results: [], lags: [] };
      for (let run = 0; run < runs; run++) {
        progress(`${level.wire}, ${level.what}, run ${run + 1}`);
        const paces = { [level.wire]: level.pace(run) };
        const { results, lag } = await client.run(parameters, { paces, ...times });
        measured.results.push(results.get(level.wire)!);
        measured.lags.push(lag);
      }
      return measured;
    };
    const levels: Level[] = [];
    for (const wire of WIRES) {
      const closed: Level[] = [];
      for (const connections of CONNECTIONS) {
        const what = `${connections} connection${connections === 1 ? '' : 's'}`;
        closed.push(await measure({ wire, what, kind: 'closed', pace: () => ({ connections }) }));
      }
      const most = Math.max(...closed.flatMap(({ results }) => results.map(({ perSecond }) => perSecond)));
      levels.push(...closed);
      for (const part of PARTS) {
        const perSecond = most * part;
        const pace = (run: number) => ({
          connections: CONNECTIONS.at(-1)!,
          arrivals: { perSecond, spread: 'poisson' as const, seed: options.seed + run },
        });
        levels.push(await measure({ wire, what: `${part * 100} % of the most`, kind: 'open', pace }));
      }
    }
    const lines: Line[] = [...levels.map(levelLine), ...(await peerLines(bench, rows, times, runs))];
    return {
      benchmark: 'point-load',
      title: 'Point queries by many clients',
      method: method(rows, runs, times.measuredMs),
      lines,
      charts: [latencyOverThroughput(levels), latencyByPercentile(levels)],
    };
  } finally {
    await client.stop();
    await connection.close();
    await node.stop();
  }
};

const method = (rows: number, runs: number, measuredMs: number): string =>
  `${rows.toLocaleString('en-US')} rows × 4 columns in memory, one row by its primary index, any of them; every answer is checked. ${runs} runs of ${measuredMs / 1_000} s after a warm-up, by a client in a process of its own. *Connections*: each sends when it has its answer, which finds what comes through at most. *% of the most*: requests come as those of many independent users (Poisson), whether or not there are answers, and latencies count from when a request was to be sent (no coordinated omission). *Backlog*: the most requests that waited for one of ${CONNECTIONS.at(-1)} connections; the queue has no bound. *Lag*: how late the client's own event loop was, which is in the latencies too. Over HTTP every query is a new text; on the PostgreSQL wire it is prepared once for each connection. Peers have one connection.`;
