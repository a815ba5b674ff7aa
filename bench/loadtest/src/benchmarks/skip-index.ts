import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { Connection } from '../http/connection.ts';
import { cpuSeconds } from '../processes/cpu-time.ts';
import { type OwnNode, startTessera } from '../processes/tessera.ts';
import { figure } from '../report/figure.ts';
import type { Line } from '../report/report.ts';

const ROWS = 8e6;
const QUERIES = 20;
/** Nothing stays in memory, so that every query reads files. */
const CONFIGURATION = {
  schema_version: '1.0',
  instance: { id: '01JZZZZZZZZZZZZZZZZZZZZZZZ' },
  engine: { eviction: { tablet_eviction_soft_threshold: 1, tablet_eviction_threshold: 1 } },
};

const TABLES = ['plain', 'indexed'] as const;
const rowsOf = (
  count: number,
) => `SELECT TIMESTAMP '2026-01-01' + to_milliseconds(i * 100) AS at, md5(i::TEXT) AS request_id,
  (hash(i) % 1000000)::INT AS user_id, (hash(i + 1) % 100000) / 1000.0 AS seconds FROM generate_series(0, ${count - 1}) AS g(i)`;

interface Answered {
  readonly statistics: { readonly rows_read: number };
  readonly data: readonly unknown[][];
}

async function startConfigured(): Promise<OwnNode> {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-loadtest-skip-'));
  try {
    const config = join(directory, 'engine.json');
    await writeFile(config, JSON.stringify(CONFIGURATION));
    return await startTessera({ args: ['--config', config] });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Finds single rows by a column that the table is not sorted by, with and without a Bloom filter index. */
export const skipIndex: Benchmark = async ({ scale, options, progress }) => {
  const count = Math.round(ROWS * scale);
  const queries = QUERIES * (options.runs ?? 1);
  const node = await startConfigured();
  const connection = new Connection(node.url);
  const lines: Line[] = [];
  try {
    for (const table of TABLES) {
      progress(`skip-index: inserting ${count} rows into ${table}`);
      await connection.run(
        `CREATE TABLE ${table} (at TIMESTAMP, request_id TEXT, user_id INT, seconds DOUBLE) PRIMARY INDEX at`,
      );
      if (table === 'indexed')
        await connection.run('CREATE INDEX by_request ON indexed USING BLOOM_FILTER (request_id)');
      const before = cpuSeconds(node.pid!);
      await connection.run(`INSERT INTO ${table} ${rowsOf(count)}`);
      const inserted = cpuSeconds(node.pid!) - before;
      const found = { cpu: [] as number[], milliseconds: [] as number[], rows: [] as number[] };
      // The first query fetches headers and filters.
      for (let query = 0; query <= queries; query++) {
        const wanted = Math.floor((count * (query + 0.5)) / (queries + 1));
        const start = cpuSeconds(node.pid!);
        const sql = `SELECT at, user_id FROM ${table} WHERE request_id = md5('${wanted}')`;
        const { text, milliseconds } = await connection.run(sql, 'JSON_Compact');
        const { statistics, data } = JSON.parse(text) as Answered;
        if (data.length !== 1) throw new Error(`${sql} found ${data.length} rows`);
        if (query === 0) continue;
        found.cpu.push((cpuSeconds(node.pid!) - start) * 1000);
        found.milliseconds.push(milliseconds);
        found.rows.push(statistics.rows_read);
      }
      lines.push({
        what: table === 'plain' ? 'without an index' : 'Bloom filter',
        figures: {
          'CPU of a query': figure('ms', found.cpu),
          'time of a query': figure('ms', found.milliseconds),
          'rows read': figure('', found.rows),
          'CPU of the INSERT': figure('s', [inserted]),
        },
      });
    }
  } finally {
    await connection.close();
    await node.stop();
  }
  return {
    benchmark: 'skip-index',
    title: 'One row by a column that the table is not sorted by',
    method: `${queries} queries, each for another one of ${count.toLocaleString('en-US')} rows by its request_id in a table sorted by time, with and without a skip index of the type bloom_filter. Nothing stays in memory. CPU of the node with its kernels.`,
    lines,
  };
};
