import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { Connection } from '../http/connection.ts';
import { startTessera } from '../processes/tessera.ts';
import { figure, percentile } from '../report/figure.ts';
import type { Line } from '../report/report.ts';

const ROWS = 1_000;
const CONNECTIONS = [1, 4];
const GROUP_TARGET = { at: 'least', value: 400 } as const;
const INSERT_TARGET = { at: 'most', value: 5 } as const;
/** Statements before the measured ones, so that the figures are not those of a program that has just started. */
const WARM_UP = 200;
/** The rows of the table in which single rows are changed. */
const TABLE_ROWS = 100_000;
const CHANGE_TARGET = { at: 'most', value: 15 } as const;
const COLUMNS = '(id BIGINT NOT NULL, at TIMESTAMP, amount DOUBLE, label TEXT) PRIMARY INDEX id';

/** Measures statements that insert, update or delete one row each, and the objects that INSERTs leave in the store. */
export const singleInserts: Benchmark = async ({ scale, progress }) => {
  const rows = Math.max(20, Math.round(ROWS * scale));
  const lines: Line[] = [];
  for (const connections of CONNECTIONS) {
    progress(`single-inserts: ${rows} rows, ${connections} connections`);
    lines.push(await measureInserts(rows, connections));
  }
  progress(`single-inserts: UPDATE and DELETE of ${rows} rows by key`);
  lines.push(...(await measureChanges(rows)));
  return {
    benchmark: 'single-inserts',
    title: 'Single-row INSERT, UPDATE and DELETE',
    method: `${rows.toLocaleString('en-US')} INSERTs of one row of 4 columns, each its own durable commit on the local store, shared out over keep-alive connections, after ${WARM_UP} others; no VACUUM. *Objects* counts the files in the store of the tables and the log at the end, *tablets* what the table consists of then. UPDATE and DELETE name one row of ${TABLE_ROWS.toLocaleString('en-US')} by the primary index, on one connection, each its own durable commit too, after ${WARM_UP} others.`,
    lines,
  };
};

interface Measured {
  readonly latencies: readonly number[];
  readonly seconds: number;
}

/** Sends the statements over the connections, each the next one when it has the answer to the last. */
async function closedLoop(pool: readonly Connection[], statements: readonly string[]): Promise<Measured> {
  const latencies: number[] = [];
  let next = 0;
  const start = performance.now();
  await Promise.all(
    pool.map(async (connection) => {
      while (next < statements.length)
        latencies.push((await connection.run(statements[next++]!)).milliseconds);
    }),
  );
  return { latencies: latencies.sort((a, b) => a - b), seconds: (performance.now() - start) / 1000 };
}

const insertOf = (id: number): string =>
  `INSERT INTO events VALUES (${id}, TIMESTAMP '2026-01-01 00:00:00', ${id / 4}, 'event ${id}')`;

const range = (from: number, length: number): number[] => Array.from({ length }, (_, i) => from + i);

async function measureInserts(rows: number, connections: number): Promise<Line> {
  const node = await startTessera();
  const pool = Array.from({ length: connections }, () => new Connection(node.url));
  try {
    await pool[0]!.run(`CREATE TABLE events ${COLUMNS}`);
    await closedLoop(pool, range(0, WARM_UP).map(insertOf));
    const { latencies, seconds } = await closedLoop(pool, range(WARM_UP, rows).map(insertOf));
    await checkCount(pool[0]!, WARM_UP + rows);
    const tablets = await pool[0]!.run(
      `SELECT number_of_tablets FROM information_schema.tables WHERE table_name = 'events'`,
    );
    const files = await readdir(join(node.dataDirectory, 'objects'), {
      recursive: true,
      withFileTypes: true,
    });
    const isSingle = connections === 1;
    return {
      what: `INSERT, ${connections} connection${isSingle ? '' : 's'}`,
      figures: {
        throughput: figure('rows/s', [rows / seconds], isSingle ? undefined : GROUP_TARGET),
        p50: figure('ms', [percentile(latencies, 50)], isSingle ? INSERT_TARGET : undefined),
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

async function measureChanges(rows: number): Promise<Line[]> {
  const node = await startTessera();
  const connection = new Connection(node.url);
  try {
    await connection.run(`CREATE TABLE events ${COLUMNS}`);
    await connection.run(
      `INSERT INTO events SELECT i, TIMESTAMP '2026-01-01 00:00:00', i / 4.0, 'event ' || i FROM generate_series(0, ${TABLE_ROWS - 1}) AS g(i)`,
    );
    // Keys all over the table, none of them twice.
    const keys = range(0, WARM_UP + rows).map((i) => (i * 7919) % TABLE_ROWS);
    const measure = async (what: string, statementOf: (id: number) => string): Promise<Line> => {
      await closedLoop([connection], keys.slice(0, WARM_UP).map(statementOf));
      const { latencies, seconds } = await closedLoop([connection], keys.slice(WARM_UP).map(statementOf));
      return {
        what: `${what} by key`,
        figures: {
          throughput: figure('rows/s', [rows / seconds]),
          p50: figure('ms', [percentile(latencies, 50)], CHANGE_TARGET),
          p99: figure('ms', [percentile(latencies, 99)]),
        },
      };
    };
    const update = await measure('UPDATE', (id) => `UPDATE events SET amount = amount + 1 WHERE id = ${id}`);
    const remove = await measure('DELETE', (id) => `DELETE FROM events WHERE id = ${id}`);
    await checkCount(connection, TABLE_ROWS - keys.length);
    return [update, remove];
  } finally {
    await connection.close();
    await node.stop();
  }
}

async function checkCount(connection: Connection, expected: number): Promise<void> {
  const count = Number((await connection.run('SELECT count(*) AS n FROM events')).text.split('\n')[1]);
  if (count !== expected) throw new Error(`The table should have ${expected} rows and has ${count}`);
}
