import { parseArgs } from 'node:util';

export const USAGE = `Usage: tessera-loadtest <benchmark>... [options]
       tessera-loadtest report FILE.json

Benchmarks:
  select42   latency and throughput of SELECT 42 over keep-alive HTTP
  upload     upload a 500 MB CSV (plain, zstd, as Parquet) and aggregate it, against plain DuckDB
  results    5 M rows × 10 columns in the output formats, against plain DuckDB
  memory     resident memory while uploads stream in and results stream out
  tpch       the 22 TPC-H queries over managed tables, against plain DuckDB (needs the TPC-H data set)
  insert     load lineitem from an uploaded Parquet file, against plain DuckDB
  point      one row by its primary index out of 60 M
  single-inserts
             1,000 INSERTs of one row each
  cluster    the 22 TPC-H queries on 1, 2 and 4 nodes: CPU time, balance, stages, planning
  all        all of them but cluster

Options:
  --url URL     measure the server at this URL instead of starting one
  --scale F     shrink data and times to this part of the full size (default 1)
  --json FILE   write what was measured as JSON too
  --help        print this

report prints the page docs/performance.md from such a JSON file.
`;

export interface Options {
  /** Benchmarks, or `report` and a file. */
  readonly words: readonly string[];
  readonly url: string | undefined;
  readonly scale: number;
  readonly json: string | undefined;
  readonly help: boolean;
}

/** @throws Error saying which option is wrong */
export function parseCommandLine(args: readonly string[]): Options {
  // `pnpm loadtest -- upload` hands the separator on.
  const own = args[0] === '--' ? args.slice(1) : [...args];
  const { values, positionals } = parseArgs({
    args: own,
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      scale: { type: 'string', default: '1' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const scale = Number(values.scale);
  if (!(scale > 0 && scale <= 1))
    throw new Error(`--scale: expected a number above 0 up to 1, got "${values.scale}"`);
  return { words: positionals, url: values.url, scale, json: values.json, help: values.help };
}
