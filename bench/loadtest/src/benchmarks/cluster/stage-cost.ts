import { Connection } from '../../http/connection.ts';
import type { OwnCluster } from '../../processes/cluster.ts';
import { figure, percentile } from '../../report/figure.ts';
import type { Line } from '../../report/report.ts';
import { explained } from './planned-text.ts';

const DEPTHS = [1, 2, 3, 4, 5, 6, 7, 8];
const RUNS = 25;
const TARGET = { at: 'most', value: 4 } as const;
/** Settings with which even tiny queries run on several nodes. */
const SPREAD = 'min_distributed_bytes = 0, whole_table_bytes = 0, broadcast_limit_bytes = 0';

/** The time that one further exchange adds to a query with hardly any work. */
export async function stageLine(
  cluster: OwnCluster,
  progress: (doing: string) => void,
): Promise<readonly Line[]> {
  const connection = new Connection(cluster.url);
  const points: { readonly stages: number; readonly milliseconds: number }[] = [];
  for (const depth of DEPTHS) {
    progress(`cluster: a chain of ${depth} exchanges`);
    const sql = `${chainOf(depth)} WITH (${SPREAD})`;
    const { stages = [] } = await explained(connection, sql);
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

/** Each level is read twice and depends on the order of its rows, so that it is computed once, by a stage. */
function chainOf(depth: number): string {
  const levels = [
    'c0 AS MATERIALIZED (SELECT n_nationkey AS k, any_value(n_regionkey) AS n FROM nation GROUP BY 1)',
  ];
  for (let level = 1; level < depth; level++)
    levels.push(
      `c${level} AS MATERIALIZED (SELECT x.k, any_value(y.n) AS n FROM c${level - 1} x JOIN c${level - 1} y ON x.k = y.k GROUP BY 1)`,
    );
  const last = `c${depth - 1}`;
  return `WITH ${levels.join(', ')} SELECT count(*) FROM ${last} x JOIN ${last} y ON x.k = y.k`;
}

/** The slope of the least-squares line. */
function slope(points: readonly { readonly stages: number; readonly milliseconds: number }[]): number {
  const mean = (of: (p: (typeof points)[number]) => number) =>
    points.reduce((sum, p) => sum + of(p), 0) / points.length;
  const [x, y] = [mean((p) => p.stages), mean((p) => p.milliseconds)];
  const covariance = mean((p) => (p.stages - x) * (p.milliseconds - y));
  return covariance / mean((p) => (p.stages - x) ** 2);
}
