import { loadavg } from 'node:os';
import { newUlid } from '@tessera/common';
import { tpcds, tpch, type Workload } from '@tessera/workloads';
import type { Bench, Benchmark } from '../benchmark.ts';
import { loadWorkload } from '../data/load-workload.ts';
import { WorkloadData } from '../data/workload-data.ts';
import { OwnCluster } from '../processes/cluster.ts';
import { DevStore } from '../processes/dev-store.ts';
import type { BenchmarkResult, Line } from '../report/report.ts';
import { chosenQueries, queriesText } from '../suites/chosen-queries.ts';
import { costLines } from './cluster/cost-constants.ts';
import { measureExchange } from './cluster/exchange-speed.ts';
import { planningLines } from './cluster/planning-cost.ts';
import { type WorkTargets, workLines } from './cluster/query-work.ts';
import { stageLine } from './cluster/stage-cost.ts';

/** The default of `--nodes`. */
const NODES = 4;
const ROUNDS = 3;
const TARGETS: Readonly<Record<string, WorkTargets>> = {
  tpch: { free: 1.3, freeQuery: 2, forced: 2, forcedQueries: { q07: 1.5, q09: 1.5, q18: 1.5, q21: 1.5 } },
  tpcds: { free: 1.6 },
};
/** Small tablets, so that there are enough for every node. */
const TABLET_BYTES = 4_194_304;

async function exchangeLines(
  cluster: OwnCluster,
  scale: number,
  progress: (doing: string) => void,
): Promise<readonly Line[]> {
  const { lines, cost } = await measureExchange(scale, progress);
  return [...lines, ...(await costLines(cluster, cost, progress))];
}

/** Otherwise nodes merge tablets while they are measured. */
const NO_MERGES = { merge_committed_tablets: false } as const;

const loadText = (): string => loadavg()[0]!.toFixed(1);

/** Measures what several nodes cost, in CPU seconds of all their processes. */
export const cluster: Benchmark = (bench) => measured(tpch, bench);

/** The same for TPC-DS, without stages, the exchange and planning. */
export const clusterTpcds: Benchmark = (bench) => measured(tpcds, bench);

const METHOD_OF_PARTS =
  ' *One more stage*: the slope of the time over the number of stages, for queries over small tables made to run on all nodes. *Exchange*: rows go from one node to several consumers on another, all four processes counted. *Cost model*: CPU microseconds as measured here, beside those that plans are made with. *Planning*: a new text of TPC-DS, from the text to stages for 4 nodes, with tables said to be of scale factor 100; *repeated* the same text again.';

async function measured(workload: Workload, { scale, options, progress }: Bench): Promise<BenchmarkResult> {
  const isWhole = workload === tpch;
  const scaleFactor = options.scaleFactor ?? scale;
  const queries = chosenQueries(workload, options.queries);
  const nodes = Math.max(...(options.nodes ?? [NODES]));
  const rounds = options.runs ?? ROUNDS;
  const { nodeMemory } = options;
  const data = await WorkloadData.generate(workload, { scale: scaleFactor, progress });
  const store = await DevStore.start();
  const instanceId = newUlid();
  let running: OwnCluster | undefined;
  try {
    const loading = await OwnCluster.start({ store, instanceId, nodes: 1, execution: NO_MERGES });
    try {
      await loadWorkload(loading.url, workload, data.directory, {
        tabletBytes: TABLET_BYTES,
        progress: (table) => progress(`loading ${table}`),
      });
    } finally {
      await loading.stop();
    }
    const load = loadText();
    progress(`cluster: starting ${nodes} nodes`);
    running = await OwnCluster.start({
      store,
      instanceId,
      nodes,
      engine: nodeMemory === undefined ? {} : { max_server_memory_usage: nodeMemory },
      execution: { max_threads: 1, ...NO_MERGES },
    });
    const lines: Line[] = await workLines(running, queries, {
      rounds,
      progress,
      targets: TARGETS[workload.name] ?? {},
    });
    const problems: string[] = [];
    const further = [
      () => stageLine(running!, progress),
      () => exchangeLines(running!, scale, progress),
      () => planningLines(progress),
    ];
    for (const measure of isWhole ? further : []) {
      try {
        lines.push(...(await measure()));
      } catch (error) {
        // Earlier measurements are kept, because they took longest.
        problems.push(String(error));
      }
    }
    return {
      benchmark: isWhole ? 'cluster' : `cluster-${workload.name}`,
      title: isWhole ? 'Several nodes' : `Several nodes, ${workload.title}`,
      method: `${queriesText(queries)} of ${workload.title} at scale factor ${data.scale}, tables in tablets of ${TABLET_BYTES / 2 ** 20} MiB at most, in one object store of S3's protocol, which are not merged; ${nodes} nodes of one thread each${nodeMemory === undefined ? '' : ` and \`max_server_memory_usage: ${nodeMemory}\``}, all on this machine, as much in memory as fits. Cells are CPU seconds of one run of the query, summed over the processes of all nodes (\`/proc/<pid>/stat\`); ${rounds} rounds after one to warm up, in which the three ways take turns query by query. *One node*: the query runs on one node of the cluster (\`nodes_per_query = 1\`), which has every table in memory. *Free*: the planner chooses the number of nodes, and the node that is asked changes from run to run. *Forced*: all nodes run it (\`nodes_per_query = ${nodes}\`). The plans beside them tell the nodes, the stages and the strategies of the joins. *Balance*: the CPU time of the busiest node over their mean.${isWhole ? METHOD_OF_PARTS : ''} Load average of the machine when the measuring began and when it ended: ${load} and ${loadText()}.`,
      lines,
      problems,
    };
  } finally {
    await running?.stop();
    await store.stop();
    data.remove();
  }
}
