import { COST_CONSTANTS, type CostConstants } from '@tessera/planner';
import { Connection } from '../../http/connection.ts';
import type { OwnCluster } from '../../processes/cluster.ts';
import { figure } from '../../report/figure.ts';
import type { Line } from '../../report/report.ts';
import type { ExchangeCost } from './exchange-speed.ts';
import { measureKernel } from './kernel-cost.ts';

/** The number of runs of a query with one stage, on all nodes and on one. */
const TASK_RUNS = 20;
const TASK_QUERY = 'SELECT sum(o_custkey) FROM orders';

/** The constants of the planner's cost model on this machine, compared with those in use. */
export async function costLines(
  cluster: OwnCluster,
  exchange: ExchangeCost,
  progress: (doing: string) => void,
): Promise<readonly Line[]> {
  progress('cluster: constants of the cost model');
  const measured: Partial<CostConstants> = {
    ...(await measureKernel()),
    ...exchange,
    startTask: await taskCost(cluster),
  };
  return Object.entries(measured).map(([name, micros]) => ({
    what: `cost model, ${name}`,
    figures: {
      measured: figure('µs', [micros]),
      'in use': figure('µs', [COST_CONSTANTS[name as keyof CostConstants]]),
    },
  }));
}

/** The CPU time in µs that a task adds to a query that scans one column. */
async function taskCost(cluster: OwnCluster): Promise<number> {
  const connection = new Connection(cluster.url);
  const secondsOf = async (nodes: number) => {
    const sql = `${TASK_QUERY} WITH (nodes_per_query = ${nodes}, whole_table_bytes = 0)`;
    await connection.run(sql);
    const before = total(cluster.cpuSeconds());
    for (let run = 0; run < TASK_RUNS; run++) await connection.run(sql);
    return (total(cluster.cpuSeconds()) - before) / TASK_RUNS;
  };
  const nodes = cluster.nodes.length;
  const one = await secondsOf(1);
  const all = await secondsOf(nodes);
  await connection.close();
  return Math.max(0, ((all - one) * 1e6) / nodes);
}

const total = (seconds: readonly number[]): number => seconds.reduce((sum, each) => sum + each, 0);
