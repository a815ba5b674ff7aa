import { createTable, TPCH_TABLES, TpchData, type TpchQuery, tpchQueries } from '../data/tpch-data.ts';
import { Connection } from '../http/connection.ts';
import { upload } from '../http/upload.ts';
import { PlainDuckDb } from '../processes/plain-duckdb.ts';
import { promotionsDone } from '../processes/promotions.ts';
import { type OwnNode, startTessera } from '../processes/tessera.ts';
import { figure } from '../report/figure.ts';
import type { Line } from '../report/report.ts';
import type { Benchmark } from './benchmark.ts';

const RUNS = 3;
const NATIVE_TARGET = { at: 'most', value: 1.1 } as const;
const PARQUET_TARGET = { at: 'most', value: 1 } as const;
const FIRST_TARGET = { at: 'most', value: 1.2 } as const;

interface Sample {
  readonly ours: number;
  readonly native: number;
  readonly parquet: number;
}

/** The 22 TPC-H queries over managed tables, against plain DuckDB over native tables and over Parquet files. */
export const tpch: Benchmark = async ({ duckdb, scale, progress }) => {
  progress('tpch: writing the tables');
  const data = await TpchData.write(duckdb, scale);
  let node = await startTessera();
  try {
    for (const table of TPCH_TABLES) {
      progress(`tpch: loading ${table.name}`);
      await load(node, table.name, createTable(table), data.file(table.name));
    }
    const queries = await tpchQueries();
    node = await node.restart();
    const first = await firstRuns(node, queries, data, progress);
    progress('tpch: waiting until the tables are in memory');
    await promotionsDone(node.metricsUrl);
    const second = await laterRuns(node, queries, data, progress);
    return {
      benchmark: 'tpch',
      title: 'TPC-H on managed tables',
      method: `The 22 queries at about scale factor ${Math.max(1, data.copies) / 10} (the official tables at 0.1, copied ${data.copies} times with keys of their own), one after the other over HTTP. *First run*: just after the node was started again, nothing in memory, against plain DuckDB, just started, over one zstd Parquet file per table. *Second run*: once the tables are in memory; in turn for each query: Tessera, plain DuckDB over native in-memory tables, plain DuckDB over the Parquet files; ${RUNS} rounds, medians by query.`,
      lines: [first, ...second],
    };
  } finally {
    data.remove();
    await node.stop();
  }
};

async function load(node: OwnNode, name: string, create: string, path: string): Promise<void> {
  const connection = new Connection(node.url);
  await connection.run(create);
  await connection.close();
  await upload(node.url, `INSERT INTO ${name} SELECT * FROM READ_PARQUET('upload://data')`, { path });
}

async function firstRuns(
  node: OwnNode,
  queries: readonly TpchQuery[],
  data: TpchData,
  progress: (doing: string) => void,
): Promise<Line> {
  const plain = new PlainDuckDb();
  const connection = new Connection(node.url);
  try {
    for (const { name } of TPCH_TABLES) await plain.run(`CREATE VIEW ${name} AS FROM '${data.file(name)}'`);
    let ours = 0;
    let theirs = 0;
    for (const { name, sql } of queries) {
      progress(`tpch: first run of ${name}`);
      theirs += (await plain.run(sql)).milliseconds;
      ours += (await connection.run(sql)).milliseconds;
    }
    return {
      what: 'first run, all queries',
      figures: {
        Tessera: figure('s', [ours / 1000]),
        'DuckDB, Parquet': figure('s', [theirs / 1000]),
        '÷ Parquet': figure('×', [ours / theirs], FIRST_TARGET),
      },
    };
  } finally {
    await connection.close();
    await plain.stop();
  }
}

async function laterRuns(
  node: OwnNode,
  queries: readonly TpchQuery[],
  data: TpchData,
  progress: (doing: string) => void,
): Promise<Line[]> {
  const native = new PlainDuckDb();
  const parquet = new PlainDuckDb();
  const connection = new Connection(node.url);
  try {
    for (const { name } of TPCH_TABLES) {
      await native.run(`CREATE TABLE ${name} AS FROM '${data.file(name)}'`);
      await parquet.run(`CREATE VIEW ${name} AS FROM '${data.file(name)}'`);
    }
    const sums: Sample[] = [];
    const byQuery = new Map<string, Sample[]>(queries.map(({ name }) => [name, []]));
    for (let run = 0; run <= RUNS; run++) {
      let sum: Sample = { ours: 0, native: 0, parquet: 0 };
      for (const { name, sql } of queries) {
        progress(`tpch: run ${run + 1} of ${name}`);
        const theirs = await native.run(sql);
        const files = await parquet.run(sql);
        const answer = await connection.run(sql);
        const rows = answer.text.split('\n').length - 2;
        if (rows !== theirs.rows) throw new Error(`${name}: ${rows} rows, plain DuckDB has ${theirs.rows}`);
        const sample = {
          ours: answer.milliseconds,
          native: theirs.milliseconds,
          parquet: files.milliseconds,
        };
        if (run > 0) byQuery.get(name)!.push(sample);
        sum = {
          ours: sum.ours + sample.ours,
          native: sum.native + sample.native,
          parquet: sum.parquet + sample.parquet,
        };
      }
      // The first round warms all three.
      if (run > 0) sums.push(sum);
      else await promotionsDone(node.metricsUrl);
    }
    return [
      line('second run, all queries', sums, true),
      ...queries.map(({ name }) => line(name, byQuery.get(name)!, false)),
    ];
  } finally {
    await connection.close();
    await native.stop();
    await parquet.stop();
  }
}

function line(what: string, samples: readonly Sample[], withTargets: boolean): Line {
  const ratio = (of: (s: Sample) => number, target: typeof NATIVE_TARGET | typeof PARQUET_TARGET) =>
    figure('×', samples.map(of), withTargets ? target : undefined);
  return {
    what,
    figures: {
      Tessera: figure(
        's',
        samples.map((s) => s.ours / 1000),
      ),
      'DuckDB, native': figure(
        's',
        samples.map((s) => s.native / 1000),
      ),
      'DuckDB, Parquet': figure(
        's',
        samples.map((s) => s.parquet / 1000),
      ),
      '÷ native': ratio((s) => s.ours / s.native, NATIVE_TARGET),
      '÷ Parquet': ratio((s) => s.ours / s.parquet, PARQUET_TARGET),
    },
  };
}
