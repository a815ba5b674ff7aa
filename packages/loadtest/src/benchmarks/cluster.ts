import { newUlid } from '@tessera/common';
import { tpch } from '@tessera/workloads';
import { loadWorkload } from '../data/load-workload.ts';
import { WorkloadData } from '../data/workload-data.ts';
import { OwnCluster } from '../processes/cluster.ts';
import { DevStore } from '../processes/dev-store.ts';
import type { Line } from '../report/report.ts';
import { chosenQueries, queriesText } from '../suites/chosen-queries.ts';
import type { Benchmark } from './benchmark.ts';
import { exchangeLine } from './cluster/exchange-speed.ts';
import { planningLines } from './cluster/planning-cost.ts';
import { nodesText, workLines } from './cluster/query-work.ts';
import { stageLine } from './cluster/stage-cost.ts';

/** A node that is no cluster, which the others are seen against. */
const NO_CLUSTER = 0;
/** So many nodes each, where `--nodes` says nothing. */
const SIZES = [1, 2, 4];
const ROUNDS = 3;
/** Small, so that there are enough tablets for every node. */
const TABLET_BYTES = 4_194_304;

/** What several nodes cost, in CPU seconds of all their processes. */
export const cluster: Benchmark = async ({ scale, options, progress }) => {
  const scaleFactor = options.scaleFactor ?? scale;
  const queries = chosenQueries(tpch, options.queries);
  const sizes = [...new Set([NO_CLUSTER, ...(options.nodes ?? SIZES)])].sort((a, b) => a - b);
  const rounds = options.runs ?? ROUNDS;
  const data = await WorkloadData.generate(tpch, { scale: scaleFactor, progress });
  const store = await DevStore.start();
  const instanceId = newUlid();
  const clusters = new Map<number, OwnCluster>();
  try {
    const loading = await OwnCluster.start({ store, instanceId, nodes: 1 });
    try {
      await loadWorkload(loading.url, tpch, data.directory, {
        tabletBytes: TABLET_BYTES,
        progress: (table) => progress(`loading ${table}`),
      });
    } finally {
      await loading.stop();
    }
    for (const nodes of sizes) {
      progress(`cluster: starting ${nodesText(nodes)}`);
      const execution = { max_threads: 1 };
      clusters.set(nodes, await OwnCluster.start({ store, instanceId, nodes, execution }));
    }
    const lines: Line[] = [];
    lines.push(...(await workLines(clusters, queries, { rounds, scale, progress })));
    lines.push(await stageLine(clusters.get(sizes.at(-1)!)!, progress));
    lines.push(await exchangeLine(scale, progress));
    lines.push(...(await planningLines(progress)));
    return {
      benchmark: 'cluster',
      title: 'Several nodes',
      method: `${queriesText(queries)} of TPC-H at scale factor ${data.scale}, tables in tablets of ${TABLET_BYTES / 2 ** 20} MiB at most, in one object store of S3's protocol; nodes of one thread each, all on this machine, everything in memory. Cells are CPU seconds of one run of the query, summed over the processes of all nodes (\`/proc/<pid>/stat\`), the coordinator changing from run to run; ${rounds} rounds; clusters of every size take turns query by query, after a round to warm up. *Balance*: the CPU time of the busiest of ${sizes.at(-1)} nodes over their mean. *One more stage*: the slope of the time over the number of stages, for queries over small tables made to run on ${sizes.at(-1)} nodes. *Exchange*: rows go from one process into a temp table of another, both ends counted. *Planning*: a new text of TPC-DS, from the text to stages for 4 nodes, with tables said to be of scale factor 100; *repeated* the same text again.`,
      lines,
    };
  } finally {
    await Promise.all([...clusters.values()].map((one) => one.stop()));
    await store.stop();
    data.remove();
  }
};
