import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CostConstants } from '@tessera/planner';
import { cpuSeconds } from '../../processes/cpu-time.ts';
import { PlainDuckDb } from '../../processes/plain-duckdb.ts';

const ROWS = 4_000_000;
const RUNS = 3;
/** A table whose keys are in an order unrelated to their values. */
const TABLE = `CREATE TABLE t AS
  SELECT (i * 2654435761) % ${ROWS} AS k, i % 1000 AS g, i * 0.25::DOUBLE AS a, i::BIGINT AS b, i % 77 AS c
  FROM range(${ROWS}) AS r(i)`;

type KernelCosts = Pick<
  CostConstants,
  | 'scanResidentValue'
  | 'scanParquetValue'
  | 'filterRow'
  | 'matchRow'
  | 'buildRow'
  | 'probeRow'
  | 'aggregateRow'
  | 'newGroup'
  | 'sortRow'
>;

/**
 * CPU times in µs of operators in a standalone kernel, each computed as the difference between queries that
 * differ only in it.
 */
export async function measureKernel(): Promise<KernelCosts> {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-loadtest-kernel-'));
  const kernel = new PlainDuckDb();
  try {
    await kernel.run(TABLE);
    await kernel.run(`CREATE TABLE small AS SELECT * FROM t WHERE k < 1000`);
    const file = join(directory, 't.parquet');
    await kernel.run(`COPY t TO '${file}' (FORMAT parquet)`);
    // The queries fix which side of a join is built, and disable filters from one side to the other.
    await kernel.run(
      `SET disabled_optimizers = 'join_order,build_side_probe_side,join_filter_pushdown,statistics_propagation,compressed_materialization'`,
    );
    const micros = (sql: string) => cpuOfRow(kernel, sql);
    const one = await micros('SELECT sum(b) FROM t');
    const three = await micros('SELECT sum(b), sum(a), sum(c) FROM t');
    const parquet = await micros(`SELECT sum(b), sum(a), sum(c) FROM '${file}'`);
    const scan = Math.max(0, three - one) / 2;
    const filtered = await micros('SELECT sum(b) FROM t WHERE a >= 0 AND c >= 0');
    // The pattern is looked for in all of a text of 48 characters, as comments have.
    await kernel.run(
      `CREATE TABLE texts AS SELECT b, left(md5(k::VARCHAR) || md5(b::VARCHAR), 48) AS s FROM t`,
    );
    const matched = await micros(`SELECT sum(b) FROM texts WHERE s NOT LIKE '%zzz%yyy%'`);
    const built = await micros('SELECT sum(s.b) FROM small s JOIN t ON s.k = t.k');
    const joined = await micros('SELECT sum(s.b) FROM t s JOIN t ON s.k = t.k');
    const few = await micros('SELECT max(n) FROM (SELECT g, sum(b) AS n FROM t GROUP BY g)');
    const many = await micros('SELECT max(n) FROM (SELECT k, sum(b) AS n FROM t GROUP BY k)');
    const sorted = await micros('SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY k) AS n FROM t)');
    const atLeast0 = (value: number) => Math.max(0, value);
    return {
      scanResidentValue: scan,
      scanParquetValue: parquet / 3,
      filterRow: atLeast0(filtered - one - 2 * scan) / 2,
      matchRow: atLeast0(matched - one),
      buildRow: atLeast0(built - scan),
      probeRow: atLeast0(joined - built - 2 * scan),
      aggregateRow: atLeast0(few - 2 * scan),
      newGroup: atLeast0(many - few),
      sortRow: atLeast0(sorted - scan),
    };
  } finally {
    await kernel.stop();
    await rm(directory, { recursive: true });
  }
}

/** The minimum of several runs, after one warm-up run. */
async function cpuOfRow(kernel: PlainDuckDb, sql: string): Promise<number> {
  await kernel.run(sql);
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const before = cpuSeconds(kernel.pid);
    await kernel.run(sql);
    await kernel.run(sql);
    least = Math.min(least, (cpuSeconds(kernel.pid) - before) / 2);
  }
  return (least * 1e6) / ROWS;
}
