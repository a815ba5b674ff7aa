import { BENCHMARKS } from './registry.ts';

const NAME_WIDTH = 15;

/** What `--help` prints; the benchmarks come from the registry. */
export const usage = (): string => `Usage: tessera-loadtest [run] <benchmark>... [options]
       tessera-loadtest list
       tessera-loadtest generate <workload> --scale F --out DIR
       tessera-loadtest report FILE.json... [--html OUT.html | --markdown]
       tessera-loadtest compare BEFORE.json AFTER.json

Benchmarks:
${BENCHMARKS.map(({ name, about, inAll }) => line(name, `${about}${inAll ? '' : ' (not in all)'}`)).join('\n')}
${line('all', 'all of them but those marked')}

Options:
  --scale F           shrink data and times to this part of the full size (default 1)
  --scale-factor F    of the data of tpch, tpcds and clickbench, such as 0.1, 1 or 3
  --queries LIST      only these queries of a suite, such as q01,q05
  --runs N            the number of measured runs
  --peers LIST        systems measured beside: duckdb, parquet (DuckDB over Parquet files), clickhouse, postgres,
                      all, or none (default duckdb,parquet)
  --peer-url NAME=URL
                      an endpoint that runs already as a peer: of this API (http), or a PostgreSQL one (postgres)
  --url URL           measure the server at this URL instead of starting one
  --user NAME         who shows up there, and at http peers; the password is taken from TESSERA_PASSWORD
  --token TOKEN       sent as bearer token instead (or TESSERA_TOKEN). A URL may have a user and a password of its own
  --nodes LIST        sizes of the clusters that benchmarks start, such as 1,2,4
  --node-memory SIZE  max_server_memory_usage of each node that cluster and cluster-tpcds start, such as 4GB
  --seed N            of random choices (default 1)
  --json FILE         write what was measured as JSON
  --html FILE         write it as one HTML page
  --quiet             no progress
  -h, --help          print this

report prints Markdown (docs/performance.md is written so), or writes an HTML page. Ctrl-C ends a run early and reports
what was measured until then; a second one ends it at once. Exit codes: 0 good, 1 something failed or an answer was
wrong, or compare found something worse; 2 the command line is wrong.
`;

const line = (name: string, about: string): string => `  ${name.padEnd(NAME_WIDTH)} ${about}`;
