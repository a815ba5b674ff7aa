import { newUlid } from '@tessera/common';
import { Pool } from 'undici';
import { type Benchmark, repeat } from '../benchmark.ts';
import { Connection } from '../http/connection.ts';
import { OwnCluster } from '../processes/cluster.ts';
import { DevStore } from '../processes/dev-store.ts';
import { figure } from '../report/figure.ts';

const ROWS = 10_000_000;
const NODES = 4;
const RUNS = 5;
/** The target for unsorted rows: sorting has to read all of them first. */
const TARGET = { at: 'most', value: 0.5 } as const;
/** Small tablets, so that there are enough for every node. */
const TABLET_BYTES = 4_194_304;
/** A format that begins with a line of names. */
const FORMAT = 'TabSeparatedWithNames';
const NEW_LINE = 10;

const UNSORTED = 'all rows';
const QUERIES: Readonly<Record<string, string>> = {
  [UNSORTED]: 'SELECT * FROM measured',
  'all rows, sorted': 'SELECT * FROM measured ORDER BY value, id',
  'all rows, sorted by the primary index': 'SELECT * FROM measured ORDER BY id',
};

/** Measures how soon the first row of a large result of several nodes comes. */
export const firstRow: Benchmark = async ({ scale, options, progress }) => {
  const nodes = Math.max(...(options.nodes ?? [NODES]));
  const runs = options.runs ?? RUNS;
  const rows = Math.ceil(ROWS * scale);
  const store = await DevStore.start();
  let cluster: OwnCluster | undefined;
  try {
    cluster = await OwnCluster.start({ store, instanceId: newUlid(), nodes, execution: { max_threads: 1 } });
    const { url } = cluster;
    const connection = new Connection(url);
    progress(`first-row: inserting ${rows} rows`);
    await connection.run(
      'CREATE TABLE measured (id BIGINT, value DOUBLE, name TEXT, at TIMESTAMP) PRIMARY INDEX id',
    );
    await connection.run(
      `INSERT INTO measured SELECT i, (hash(i) % 1000000) / 8.0, 'name ' || i % 1000, TIMESTAMP '2026-01-01' + to_seconds(i) FROM generate_series(1, ${rows}) AS g(i) WITH (tablet_min_size_bytes = 0, tablet_max_size_bytes = ${TABLET_BYTES})`,
    );
    await connection.close();
    await cluster.settled();
    const lines = [];
    for (const [what, sql] of Object.entries(QUERIES)) {
      progress(`first-row: ${what}`);
      const statement = `${sql} WITH (nodes_per_query = ${nodes})`;
      await timesOf(url, statement, rows);
      const times = await repeat(runs, () => timesOf(url, statement, rows));
      lines.push({
        what,
        figures: {
          'first row': figure(
            's',
            times.map(({ first }) => first),
            what === UNSORTED ? TARGET : undefined,
          ),
          'last row': figure(
            's',
            times.map(({ last }) => last),
          ),
          'first ÷ last': figure(
            '×',
            times.map(({ first, last }) => first / last),
          ),
        },
      });
    }
    return {
      benchmark: 'first-row',
      title: 'First row of a large result',
      method: `${rows.toLocaleString('en-US')} rows × 4 columns, read to the end over HTTP as ${FORMAT} while the client discards them; ${nodes} nodes of one thread each, all on this machine, the table in memory; ${runs} runs after one to warm up. *First row*: from sending the statement to the first byte of the body.`,
      lines,
    };
  } finally {
    await cluster?.stop();
    await store.stop();
  }
};

interface Times {
  /** The seconds until the first byte of the first row. */
  readonly first: number;
  /** The seconds until the end of the result. */
  readonly last: number;
}

/** @throws Error for another number of rows */
async function timesOf(url: string, sql: string, rows: number): Promise<Times> {
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  const pool = new Pool(url, { connections: 1, headersTimeout: 0, bodyTimeout: 0 });
  try {
    const path = `/?output_format=${FORMAT}`;
    const { statusCode, body } = await pool.request({ method: 'POST', path, body: sql });
    if (statusCode !== 200) throw new Error(`HTTP ${statusCode}: ${await body.text()}`);
    let first: number | undefined;
    let lines = 0;
    for await (const chunk of body) {
      for (const byte of chunk as Buffer) {
        if (lines === 1) first ??= seconds();
        if (byte === NEW_LINE) lines += 1;
      }
    }
    if (first === undefined || lines - 1 !== rows)
      throw new Error(`${sql}: ${lines - 1} rows instead of ${rows}`);
    return { first, last: seconds() };
  } finally {
    await pool.close();
  }
}
