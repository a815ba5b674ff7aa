import { type Bench, type Benchmark, repeat } from '../benchmark.ts';
import type { GeneratedFiles } from '../data/generated-files.ts';
import { type UploadPart, upload as uploadFile } from '../http/upload.ts';
import { figure } from '../report/figure.ts';
import type { Line } from '../report/report.ts';

const CSV_BYTES = 500e6;
const RUNS = 5;
const RATIO_TARGET = { at: 'most', value: 1.15 } as const;

interface Case {
  readonly what: string;
  readonly format: Parameters<GeneratedFiles['write']>[0];
  readonly contentEncoding?: UploadPart['contentEncoding'];
  /** The FROM item over a URL or path, for Tessera and for plain DuckDB. */
  ours(url: string): string;
  theirs(path: string): string;
}

const oursCsv = (url: string) => `READ_CSV('${url}', HEADER => true, INFER_SCHEMA => true)`;
const theirsCsv = (path: string) => `read_csv('${path}', header = true)`;

const CASES: readonly Case[] = [
  { what: 'CSV', format: 'csv', ours: oursCsv, theirs: theirsCsv },
  { what: 'CSV as zstd', format: 'csv.zst', contentEncoding: 'zstd', ours: oursCsv, theirs: theirsCsv },
  {
    what: 'Parquet',
    format: 'parquet',
    ours: (url) => `READ_PARQUET('${url}')`,
    theirs: (path) => `read_parquet('${path}')`,
  },
];

const aggregate = (source: string) =>
  `SELECT city, paid, count(*), sum(price), avg(score), min(ordered), max(shipped), sum(customer) FROM ${source} GROUP BY city, paid`;

/**
 * Uploads a file and aggregates it, compared with plain DuckDB over the same file plus the copy of its bytes.
 */
export const upload: Benchmark = async (bench) => {
  const rows = await bench.files.rowsForCsvBytes(CSV_BYTES * bench.scale);
  const lines: Line[] = [];
  for (const one of CASES) lines.push(await measure(bench, one, rows));
  return {
    benchmark: 'upload',
    title: 'Upload and aggregate',
    method: `${rows.toLocaleString('en-US')} rows × 10 columns, a CSV file of ${Math.round((CSV_BYTES * bench.scale) / 1e6)} MB, posted as one file part and aggregated into some 2,000 groups. Beside it, in turn within each of ${bench.options.runs ?? RUNS} runs: plain DuckDB in a process of its own, with as many threads, running the same aggregation over the same local file; and the same request posted to a bare node:http server that discards it (the copy). Ratio: Tessera ÷ (plain DuckDB + copy), run by run.`,
    lines,
  };
};

async function measure(
  { duckdb, http, files, options, progress, ...bench }: Bench,
  one: Case,
  rows: number,
): Promise<Line> {
  progress(`writing ${rows} rows as ${one.format}`);
  const path = await files.write(one.format, rows);
  const part = { path, ...(one.contentEncoding && { contentEncoding: one.contentEncoding }) };
  const oursSql = aggregate(one.ours('upload://data'));
  const theirsSql = aggregate(one.theirs(path));
  const target = await bench.target();
  progress(`uploading and aggregating ${one.what}`);
  const once = async () => {
    const ours = await uploadFile(target.url, oursSql, part, { token: target.token });
    const theirs = await duckdb.run(theirsSql);
    const copy = await uploadFile(http.url, oursSql, part);
    const groups = ours.text.split('\n').length - 3;
    if (groups !== theirs.rows)
      throw new Error(`${one.what}: ${groups} groups, plain DuckDB has ${theirs.rows}`);
    return { ours: ours.milliseconds, theirs: theirs.milliseconds, copy: copy.milliseconds };
  };
  await once();
  const runs = await repeat(options.runs ?? RUNS, once);
  return {
    what: one.what,
    figures: {
      Tessera: figure(
        's',
        runs.map((run) => run.ours / 1000),
      ),
      'plain DuckDB': figure(
        's',
        runs.map((run) => run.theirs / 1000),
      ),
      copy: figure(
        's',
        runs.map((run) => run.copy / 1000),
      ),
      ratio: figure(
        '×',
        runs.map((run) => run.ours / (run.theirs + run.copy)),
        RATIO_TARGET,
      ),
    },
  };
}
