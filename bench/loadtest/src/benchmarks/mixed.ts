import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { Connection } from '../http/connection.ts';
import type { Load } from '../load/load.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { LoopResult } from '../load/loop-result.ts';
import { startTessera } from '../processes/tessera.ts';
import { figure } from '../report/figure.ts';
import type { Chart, Line } from '../report/report.ts';
import { BATCH_ROWS, batchRows, type MixedParameters } from './mixed/parameters.ts';
import { latencyPoints, loadFigures, PERCENTILES } from './point-load/level.ts';

const PROGRAM = join(import.meta.dirname, 'mixed/mixed-process.ts');
const BATCHES = 20_000;
const LEAST_BATCHES = 500;
const MEASURED_MS = 20_000;
const WARM_UP_MS = 2_000;
const LEAST_MS = 500;
const RUNS = 3;

type Paces = Load['paces'];

/** Deletes have a limited rate, so that there are always batches. */
const paces = (seed: number): { readonly readers: Paces; readonly writers: Paces } => ({
  readers: { point: { connections: 4 }, aggregate: { connections: 1 } },
  writers: {
    INSERT: { connections: 2 },
    UPDATE: { connections: 1 },
    DELETE: { connections: 1, arrivals: { perSecond: 5, spread: 'poisson', seed } },
  },
});

/** Readers and writers of one table at the same time. */
export const mixed: Benchmark = async ({ scale, options, progress }) => {
  const batches = Math.max(LEAST_BATCHES, Math.round(BATCHES * scale));
  const runs = options.runs ?? (scale < 1 ? 1 : RUNS);
  const warmUpMs = Math.max(LEAST_MS, WARM_UP_MS * scale);
  const measuredMs = Math.max(LEAST_MS, MEASURED_MS * scale);
  const node = await startTessera();
  const connection = new Connection(node.url);
  const client = new LoadProcess<MixedParameters>(PROGRAM);
  try {
    const measured = new Map<string, LoopResult[]>();
    for (let run = 0; run < runs; run++) {
      const seed = options.seed + run;
      const { readers, writers } = paces(seed);
      for (const [beside, own] of [
        ['alone', readers],
        ['beside writers', { ...readers, ...writers }],
      ] as const) {
        const table = `events_${run}_${beside.replace(' ', '_')}`;
        progress(`${batches} batches, readers ${beside}, run ${run + 1}`);
        await connection.run(
          `CREATE TABLE ${table} (batch BIGINT NOT NULL, item INT NOT NULL, amount BIGINT NOT NULL, note TEXT) PRIMARY INDEX batch, item`,
        );
        await connection.run(`INSERT INTO ${table} ${batchRows(1, batches)}`);
        const { results } = await client.run(
          { url: node.url, table, seed, batches },
          { paces: own, warmUpMs, measuredMs },
        );
        for (const [name, result] of results) {
          const line = Object.hasOwn(writers, name) ? name : `${name}, ${beside}`;
          measured.set(line, [...(measured.get(line) ?? []), result]);
        }
        await audit(connection, table);
      }
    }
    refuseWrongAnswers(measured);
    return {
      benchmark: 'mixed',
      title: 'Readers and writers at once',
      method: method(batches, runs, measuredMs),
      lines: [...measured].map(([what, results]): Line => ({ what, figures: figuresOf(results) })),
      charts: [chart(measured)],
    };
  } finally {
    await client.stop();
    await connection.close();
    await node.stop();
  }
};

/**
 * Checks for batches that exist in part, or whose amounts no longer add up to zero. @throws Error if there
 * are any
 */
async function audit(connection: Connection, table: string): Promise<void> {
  const { text } = await connection.run(
    `SELECT count(*) FROM (SELECT batch FROM ${table} GROUP BY batch HAVING sum(amount) <> 0 OR count(*) <> ${BATCH_ROWS} OR count(DISTINCT item) <> ${BATCH_ROWS}) AS wrong`,
  );
  const wrong = Number(text.split('\n')[1]);
  if (wrong > 0) throw new Error(`${wrong} batches of ${table} are damaged`);
}

function refuseWrongAnswers(measured: ReadonlyMap<string, readonly LoopResult[]>): void {
  for (const [what, results] of measured) {
    const wrong = results.reduce((sum, { failures }) => sum + (failures.get('wrong answer') ?? 0), 0);
    if (wrong > 0) throw new Error(`${what}: ${wrong} answers were wrong`);
  }
}

/** Failures by class; a conflict that the server gave up on is one of them. */
function figuresOf(results: readonly LoopResult[]): Line['figures'] {
  const classes = new Set(results.flatMap(({ failures }) => [...failures.keys()]));
  const failures = [...classes].map(
    (name) =>
      [
        name,
        figure(
          '',
          results.map((result) => result.failures.get(name) ?? 0),
        ),
      ] as const,
  );
  return { ...loadFigures(results), ...Object.fromEntries(failures) };
}

const chart = (measured: ReadonlyMap<string, readonly LoopResult[]>): Chart => ({
  title: 'Latency by percentile',
  x: { label: 'percentile', scale: 'category' },
  y: { label: 'ms', scale: 'log' },
  series: [...measured].map(([name, results]) => ({
    name,
    points: PERCENTILES.flatMap(([x, p]) => latencyPoints(results, p, x)),
  })),
});

const method = (batches: number, runs: number, measuredMs: number): string =>
  `A table of ${batches.toLocaleString('en-US')} batches of ${BATCH_ROWS} rows whose amounts come to nothing; ${runs} runs of ${measuredMs / 1_000} s. At once: 2 connections INSERT batches, 1 moves amounts within a batch (UPDATE of two rows), 5 batches a second are DELETEd, 4 connections ask for one row, half of the time of the batch that was committed last, and 1 sums the whole table up. Every answer is checked: a batch that was committed before a query was sent is there, none is there in part, the sum is 0; a wrong answer fails the benchmark, and so does a damaged batch at the end. *Alone*: the readers without writers. A statement that meets a conflict is repeated by the server; one that failed for good is counted under its SQLSTATE.`;
