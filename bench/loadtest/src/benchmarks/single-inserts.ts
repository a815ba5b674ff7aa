import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { Connection } from '../http/connection.ts';
import { startTessera } from '../processes/tessera.ts';
import { figure, percentile } from '../report/figure.ts';
import type { Line } from '../report/report.ts';

const ROWS = 1_000;
const CONNECTIONS = [1, 4];
const TARGET = { at: 'least', value: 100 } as const;

/** Measures INSERTs of one row each, and the objects that they leave in the store. */
export const singleInserts: Benchmark = async ({ scale, progress }) => {
  const rows = Math.max(20, Math.round(ROWS * scale));
  const lines: Line[] = [];
  for (const connections of CONNECTIONS) {
    progress(`single-inserts: ${rows} rows, ${connections} connections`);
    lines.push(await measure(rows, connections));
  }
  return {
    benchmark: 'single-inserts',
    title: 'Single-row INSERTs',
    method: `${rows.toLocaleString('en-US')} INSERTs of one row of 4 columns, each its own durable commit on the local store, shared out over keep-alive connections; no VACUUM. *Objects* counts the files in the store of the tables and the log at the end, *tablets* what the table consists of then.`,
    lines,
  };
};

async function measure(rows: number, connections: number): Promise<Line> {
  const node = await startTessera();
  const pool = Array.from({ length: connections }, () => new Connection(node.url));
  try {
    await pool[0]!.run(
      'CREATE TABLE events (id BIGINT NOT NULL, at TIMESTAMP, amount DOUBLE, label TEXT) PRIMARY INDEX id',
    );
    const latencies: number[] = [];
    let next = 0;
    const start = performance.now();
    await Promise.all(
      pool.map(async (connection) => {
        while (next < rows) {
          const id = next++;
          const sql = `INSERT INTO events VALUES (${id}, TIMESTAMP '2026-01-01 00:00:00', ${id / 4}, 'event ${id}')`;
          latencies.push((await connection.run(sql)).milliseconds);
        }
      }),
    );
    const seconds = (performance.now() - start) / 1000;
    const count = Number((await pool[0]!.run('SELECT count(*) AS n FROM events')).text.split('\n')[1]);
    if (count !== rows) throw new Error(`${rows} rows were inserted, the table has ${count}`);
    const tablets = await pool[0]!.run(
      `SELECT number_of_tablets FROM information_schema.tables WHERE table_name = 'events'`,
    );
    const files = await readdir(join(node.dataDirectory, 'objects'), {
      recursive: true,
      withFileTypes: true,
    });
    latencies.sort((a, b) => a - b);
    return {
      what: `${connections} connection${connections === 1 ? '' : 's'}`,
      figures: {
        throughput: figure('rows/s', [rows / seconds], connections === 1 ? TARGET : undefined),
        p50: figure('ms', [percentile(latencies, 50)]),
        p99: figure('ms', [percentile(latencies, 99)]),
        objects: figure('', [files.filter((file) => file.isFile()).length]),
        tablets: figure('', [Number(tablets.text.split('\n')[1])]),
      },
    };
  } finally {
    for (const connection of pool) await connection.close();
    await node.stop();
  }
}
