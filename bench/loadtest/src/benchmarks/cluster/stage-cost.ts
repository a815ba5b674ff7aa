import { Connection } from '../../http/connection.ts';
import type { OwnCluster } from '../../processes/cluster.ts';
import { figure, percentile } from '../../report/figure.ts';
import type { Line } from '../../report/report.ts';
import { explained } from './planned-text.ts';

const DEPTHS = [1, 2, 3, 4, 5];
const RUNS = 25;
const TARGET = { at: 'most', value: 4 } as const;
/** Settings with which even tiny queries run on several nodes. */
const SPREAD = 'min_distributed_bytes = 0, whole_table_bytes = 0';

/** The time that one further exchange adds to a query with hardly any work. */
export async function stageLine(
  cluster: OwnCluster,
  progress: (doing: string) => void,
): Promise<readonly Line[]> {
  const connection = new Connection(cluster.url);
  const points: { readonly stages: number; readonly milliseconds: number }[] = [];
  for (const depth of DEPTHS) {
    progress(`cluster: a chain of ${depth} levels`);
    const sql = `${chainOf(depth)} WITH (${SPREAD})`;
    const { stages = [] } = await explained(connection, sql);
    // Without a difference in stages there is no slope.
    if (stages.length <= (points.at(-1)?.stages ?? 1))
      throw new Error(`One more stage: a chain of ${depth} levels is planned in ${stages.length} stages`);
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) times.push((await connection.run(sql)).milliseconds);
    const middle = percentile(
      times.toSorted((a, b) => a - b),
      50,
    );
    points.push({ stages: stages.length, milliseconds: middle });
  }
  await connection.close();
  return [{ what: 'one more stage', figures: { cost: figure('ms', [slope(points)], TARGET) } }];
}

/**
 * Counts the rows of a table that differ from the result of the level below. That result is one row, so each level adds a
 * stage that scans the table on all nodes and one that gathers the counts.
 */
function chainOf(depth: number): string {
  const level = 'SELECT count(*) FROM customer';
  return depth === 1 ? level : `${level} WHERE c_custkey <> (${chainOf(depth - 1)})`;
}

/** The slope of the least-squares line. */
function slope(points: readonly { readonly stages: number; readonly milliseconds: number }[]): number {
  const mean = (of: (p: (typeof points)[number]) => number) =>
    points.reduce((sum, p) => sum + of(p), 0) / points.length;
  const [x, y] = [mean((p) => p.stages), mean((p) => p.milliseconds)];
  const covariance = mean((p) => (p.stages - x) * (p.milliseconds - y));
  return covariance / mean((p) => (p.stages - x) ** 2);
}
