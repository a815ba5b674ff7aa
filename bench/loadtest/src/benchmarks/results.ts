import { type Benchmark, repeat } from '../benchmark.ts';
import { repeatableRows, repeatedQuery } from '../data/generated-columns.ts';
import { runDiscarding } from '../http/statement.ts';
import { figure } from '../report/figure.ts';
import type { Line } from '../report/report.ts';

const ROWS = 5_000_000;
const RUNS = 3;
const BYTES_PER_MB = 1e6;

/** The output formats, each with its target in rows per second: one for all, or one for the speed of plain DuckDB. */
const FORMATS: Readonly<Record<string, number | ((plain: number) => number) | undefined>> = {
  JSON_Compact: 1_000_000,
  TabSeparatedWithNamesAndTypes: 1_000_000,
  CSVWithNames: undefined,
  JSONLines_Compact: undefined,
  ArrowStream: (plain) => Math.min(5_000_000, 0.9 * plain),
  Parquet: undefined,
};

/** Streams a large result in each format to a client that discards it. */
export const results: Benchmark = async ({ duckdb, scale, options, progress, ...bench }) => {
  const target = await bench.target();
  const runs = options.runs ?? RUNS;
  const rows = repeatableRows(ROWS * scale);
  const sql = repeatedQuery(rows);
  const fetched = 'plain DuckDB, all chunks fetched';
  const plain: Line[] = [];
  for (const [what, statement] of [
    [fetched, sql],
    ['plain DuckDB, COPY TO /dev/null as CSV', `COPY (${sql}) TO '/dev/null' (FORMAT csv, HEADER)`],
  ] as const) {
    progress(`${rows} rows, ${what}`);
    const seconds = (await repeat(runs, () => duckdb.run(statement))).map((run) => run.milliseconds / 1000);
    plain.push({
      what,
      figures: {
        time: figure('s', seconds),
        rows: figure(
          'rows/s',
          seconds.map((s) => rows / s),
        ),
      },
    });
  }
  const plainSpeed = plain.find(({ what }) => what === fetched)!.figures.rows!.median;
  const lines: Line[] = [];
  for (const [format, least] of Object.entries(FORMATS)) {
    progress(`${rows} rows as ${format}`);
    await runDiscarding(target.url, repeatedQuery(1), format, target.token);
    const answers = await repeat(runs, () => runDiscarding(target.url, sql, format, target.token));
    const seconds = answers.map((answer) => answer.milliseconds / 1000);
    const value = typeof least === 'function' ? least(plainSpeed) : least;
    const floor = value === undefined ? undefined : ({ at: 'least', value } as const);
    lines.push({
      what: format,
      figures: {
        time: figure('s', seconds),
        rows: figure(
          'rows/s',
          seconds.map((s) => rows / s),
          floor,
        ),
        bytes: figure(
          'MB/s',
          answers.map((answer, run) => answer.bytes / BYTES_PER_MB / seconds[run]!),
        ),
      },
    });
  }
  return {
    benchmark: 'results',
    title: 'Large results',
    method: `${rows.toLocaleString('en-US')} rows × 10 columns (int, bigint, double, decimal, date, timestamp, text, boolean) of which 100,000 are computed from generate_series and repeated by a cross join, read to the end over HTTP by a client in another process that discards the bytes; ${runs} runs. Beside it plain DuckDB in a process of its own runs the same query.`,
    lines: [...lines, ...plain],
  };
};
