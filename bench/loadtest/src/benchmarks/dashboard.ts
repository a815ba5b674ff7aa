import type { Benchmark } from '../benchmark.ts';
import { Connection } from '../http/connection.ts';
import { cpuSeconds } from '../processes/cpu-time.ts';
import { promotionsDone } from '../processes/promotions.ts';
import { startTessera } from '../processes/tessera.ts';
import { figure } from '../report/figure.ts';

const ROWS = 60e6;
const RUNS = 3;
const TARGET = { at: 'least', value: 20 } as const;

const TABLE = `CREATE TABLE visits (day DATE, country TEXT, device TEXT, page INT, user_id BIGINT, revenue NUMERIC(12, 2), seconds INT)
  PRIMARY INDEX day`;
const rowsOf = (
  count: number,
) => `INSERT INTO visits SELECT DATE '2024-01-01' + (i * 365 // ${count})::INT, 'country ' || hash(i) % 20,
  'device ' || hash(i + 1) % 4, (hash(i + 2) % 5000)::INT, (hash(i + 3) % 1000000)::BIGINT, (hash(i + 4) % 100000) / 100.0,
  (hash(i + 5) % 3600)::INT FROM generate_series(0, ${count - 1}) AS g(i)`;
const INDEX = `CREATE AGGREGATING INDEX by_day ON visits (day, country, device, count(*), sum(revenue), avg(seconds), min(revenue),
  max(revenue), max(seconds))`;

/** The questions of a dashboard: totals, rankings and series, as a whole and filtered. */
const QUESTIONS = [
  'SELECT count(*), sum(revenue), avg(seconds) FROM visits',
  'SELECT max(day), min(day) FROM visits',
  'SELECT day, count(*) FROM visits GROUP BY day ORDER BY day',
  'SELECT day, sum(revenue) FROM visits GROUP BY day ORDER BY day',
  "SELECT date_trunc('month', day) AS m, sum(revenue), count(*) FROM visits GROUP BY m ORDER BY m",
  'SELECT country, count(*), sum(revenue) AS r FROM visits GROUP BY country ORDER BY r DESC LIMIT 5',
  'SELECT device, avg(seconds), max(seconds) FROM visits GROUP BY device ORDER BY device',
  'SELECT country, device, count(*) FROM visits GROUP BY country, device ORDER BY 3 DESC LIMIT 10',
  "SELECT count(*), sum(revenue) FROM visits WHERE day >= '2024-12-01'",
  "SELECT day, count(*) FROM visits WHERE country = 'country 7' GROUP BY day ORDER BY day",
  "SELECT device, sum(revenue) FROM visits WHERE day BETWEEN '2024-03-01' AND '2024-03-31' GROUP BY device ORDER BY 1",
  'SELECT country, min(revenue), max(revenue) FROM visits GROUP BY country ORDER BY country',
  'SELECT extract(dow FROM day) AS d, avg(seconds) FROM visits GROUP BY d ORDER BY d',
  'SELECT country, sum(revenue) / count(*) FROM visits GROUP BY country HAVING count(*) > 10 ORDER BY 2 DESC LIMIT 3',
  "SELECT sum(revenue) FILTER (WHERE device = 'device 1'), sum(revenue) FROM visits",
  'SELECT day, sum(sum(revenue)) OVER (ORDER BY day) FROM visits GROUP BY day ORDER BY day',
  'SELECT count(DISTINCT country), count(DISTINCT day) FROM visits',
  "SELECT country, device, sum(revenue) FROM visits WHERE day > '2024-06-30' GROUP BY ROLLUP (country, device) ORDER BY 1, 2",
  "SELECT n.region, sum(revenue) FROM visits JOIN (VALUES ('country 1', 'a'), ('country 2', 'a'), ('country 3', 'b')) AS n(country, region) USING (country) GROUP BY 1 ORDER BY 1",
  'WITH m AS (SELECT day, sum(revenue) AS r FROM visits GROUP BY day) SELECT avg(r), max(r) FROM m',
];

/** A dashboard with and without an aggregating index: CPU time of the node, and the same answers. */
export const dashboard: Benchmark = async ({ scale, options, progress }) => {
  const count = Math.round(ROWS * scale);
  const node = await startTessera();
  const connection = new Connection(node.url);
  const samples: { with: number; without: number }[] = [];
  const answers = async (settings: string) => {
    // Tables that the queries before have caused to be loaded are not work of these.
    await promotionsDone(node.metricsUrl);
    const before = cpuSeconds(node.pid!);
    const texts: string[] = [];
    for (const sql of QUESTIONS) texts.push((await connection.run(`${sql} WITH (${settings})`)).text);
    return { texts, seconds: cpuSeconds(node.pid!) - before };
  };
  try {
    await connection.run(TABLE);
    progress(`dashboard: inserting ${count} rows`);
    await connection.run(rowsOf(count));
    await connection.run(INDEX);
    for (let run = 0; run <= (options.runs ?? RUNS); run++) {
      progress(`dashboard: run ${run}`);
      const by = await answers('enable_aggregating_indexes = true');
      const raw = await answers('enable_aggregating_indexes = false');
      const wrong = QUESTIONS.find((_, i) => by.texts[i] !== raw.texts[i]);
      if (wrong !== undefined)
        throw new Error(`The result from the index differs from that of the rows: ${wrong}`);
      // The first run fetches, binds and loads into memory.
      if (run > 0) samples.push({ with: by.seconds, without: raw.seconds });
    }
  } finally {
    await connection.close();
    await node.stop();
  }
  return {
    benchmark: 'dashboard',
    title: 'Dashboard with an aggregating index',
    method: `${QUESTIONS.length} queries (totals, rankings, series by day) over ${count.toLocaleString('en-US')} rows of 365 days, 20 countries and 4 devices, by an aggregating index on day, country and device, and by the rows (enable_aggregating_indexes = false), in turn. CPU seconds of the node with its kernels, over all queries, when no table is being loaded into memory; the answers are compared.`,
    lines: [
      {
        what: `${QUESTIONS.length} queries`,
        figures: {
          'with the index': figure(
            's',
            samples.map((s) => s.with),
          ),
          'by the rows': figure(
            's',
            samples.map((s) => s.without),
          ),
          ratio: figure(
            '×',
            samples.map((s) => s.without / s.with),
            TARGET,
          ),
        },
      },
    ],
  };
};
