import type { Benchmark } from '../benchmark.ts';
import { Connection } from '../http/connection.ts';
import { startTessera } from '../processes/tessera.ts';
import { wholeTableInMemory } from '../processes/whole-table.ts';
import { figure, percentile } from '../report/figure.ts';

const ROWS = 60_000_000;
const QUERIES = 300;
const RUNS = 3;
const P50_TARGET = { at: 'most', value: 3 } as const;
const P99_TARGET = { at: 'most', value: 10 } as const;
/** Spreads the requested keys over the whole table. */
const STRIDE = 7_919_317;

/** Measures reading one row by its primary index. */
export const point: Benchmark = async ({ scale, options, progress }) => {
  const runs = options.runs ?? RUNS;
  const rows = Math.max(1_000, Math.round(ROWS * scale));
  const node = await startTessera();
  const connection = new Connection(node.url);
  try {
    progress(`point: writing ${rows} rows`);
    await connection.run(
      'CREATE TABLE points (id BIGINT NOT NULL, customer INT, amount DOUBLE, label TEXT) PRIMARY INDEX id',
    );
    await connection.run(
      `INSERT INTO points SELECT i, (i % 1000003)::INT, i / 3.0::DOUBLE, 'label ' || (i % 5000) FROM generate_series(1, ${rows}) AS g(i)`,
    );
    const key = (n: number) => 1 + ((n * STRIDE) % rows);
    const query = (n: number) => `SELECT * FROM points WHERE id = ${key(n)}`;
    const first = await connection.run(query(0));
    const explained = await connection.run(`EXPLAIN (ANALYZE) ${query(1)}`, 'TabSeparatedWithNames');
    progress('point: waiting until the table is in memory');
    await wholeTableInMemory(node, connection, 'points');
    const queries = Math.max(10, Math.round(QUERIES * scale));
    const samples: number[][] = [];
    for (let run = 0; run < runs; run++) {
      progress(`point: run ${run + 1}`);
      const latencies: number[] = [];
      for (let asked = 0; asked < queries; asked++) {
        // The earlier keys were used by the first query and its EXPLAIN.
        const n = 2 + run * queries + asked;
        const answer = await connection.run(query(n));
        if (answer.text.split('\n').length !== 3) throw new Error(`id ${key(n)}: ${answer.text}`);
        latencies.push(answer.milliseconds);
      }
      samples.push(latencies.sort((a, b) => a - b));
    }
    return {
      benchmark: 'point',
      title: 'Point queries on the primary index',
      method: `${rows.toLocaleString('en-US')} rows × 4 columns, \`SELECT * … WHERE id = k\` over one keep-alive connection, keys spread over the table, every text a new one; ${runs} runs once all of the table is in memory, which a query over all of it saw to: point queries alone bring a large table in by and by. *From file* is the first query after the INSERT. EXPLAIN (ANALYZE) of a query from file says: ${granules(explained.text)}.`,
      lines: [
        {
          what: 'in memory',
          figures: {
            p50: figure(
              'ms',
              samples.map((s) => percentile(s, 50)),
              P50_TARGET,
            ),
            p90: figure(
              'ms',
              samples.map((s) => percentile(s, 90)),
            ),
            p99: figure(
              'ms',
              samples.map((s) => percentile(s, 99)),
              P99_TARGET,
            ),
          },
        },
        { what: 'from file', figures: { p50: figure('ms', [first.milliseconds]) } },
      ],
    };
  } finally {
    await connection.close();
    await node.stop();
  }
};

/** The lines of the explanation that mention granules. */
const granules = (explained: string): string =>
  explained
    .split(/\\n|\n/)
    .filter((text) => /granule|tablet/i.test(text))
    .map((text) => text.trim())
    .join('; ');
