import { newUlid } from '@tessera/common';
import { tpch } from '@tessera/workloads';
import { type Benchmark, repeat } from '../benchmark.ts';
import { loadWorkload } from '../data/load-workload.ts';
import { WorkloadData } from '../data/workload-data.ts';
import { Connection } from '../http/connection.ts';
import { neverGoesBack, percentAtHalfTime, type SeenProgress, seenProgress } from '../http/progress.ts';
import { OwnCluster } from '../processes/cluster.ts';
import { DevStore } from '../processes/dev-store.ts';
import { figure } from '../report/figure.ts';
import type { Line } from '../report/report.ts';
import { chosenQueries, queriesText } from '../suites/chosen-queries.ts';

/** The default of `--nodes`. */
const NODES = [1, 3];
/** The default of `--runs`. */
const RUNS = 3;
/** Too few messages are seen of shorter queries. */
const LEAST_MS = 1_000;
const ERROR_TARGET = { at: 'most', value: 10 } as const;
const FIRST_TARGET = { at: 'most', value: 0.5 } as const;

/** Compares the progress that a client sees with the time that has passed. */
export const progress: Benchmark = async ({ scale, options, progress: show }) => {
  const scaleFactor = options.scaleFactor ?? scale;
  const queries = chosenQueries(tpch, options.queries);
  const runs = options.runs ?? RUNS;
  const data = await WorkloadData.generate(tpch, { scale: scaleFactor, progress: show });
  const store = await DevStore.start();
  const instanceId = newUlid();
  const lines: Line[] = [];
  const problems: string[] = [];
  let isLoaded = false;
  try {
    for (const nodes of options.nodes ?? NODES) {
      const cluster = await OwnCluster.start({ store, instanceId, nodes });
      try {
        if (!isLoaded) {
          await loadWorkload(cluster.url, tpch, data.directory, {
            progress: (table) => show(`loading ${table}`),
          });
          isLoaded = true;
        }
        const settings = { nodes_per_query: String(nodes) };
        // The tables are read into memory before anybody looks at a query.
        show(`progress: warming up ${nodes}`);
        await warmUp(cluster, queries, settings);
        const clocks = {
          time: () => performance.now(),
          cpu: () => 1000 * cluster.cpuSeconds().reduce((sum, each) => sum + each, 0),
        };
        for (const { name, sql } of queries) {
          show(`progress: ${name} on ${nodes}`);
          const seen = await repeat(runs + 1, () => seenProgress(cluster.url, sql, settings, clocks));
          if (!seen.every(({ time }) => neverGoesBack(time)))
            problems.push(`The progress of ${name} on ${nodes} went back`);
          if (seen.every(({ time }) => time.milliseconds >= LEAST_MS))
            lines.push(lineOf(`${name}, ${nodes} node${nodes === 1 ? '' : 's'}`, seen));
        }
      } finally {
        await cluster.stop();
      }
    }
    const isShort = lines.length === 0;
    return {
      benchmark: 'progress',
      title: 'Progress of queries',
      method: `${queriesText(queries)} of TPC-H at scale factor ${data.scale} with \`progress=true\`, each on all nodes of a cluster of its own, all on this machine; those that take less than a second are left out. *At half time*: the percentage shown when half of the query's time had passed, in the runs after the first one that was watched; *error*: its distance from 50; *first time*: the percentage in the first one, when the progress of earlier runs is not known. *At half CPU* is the same by the CPU time of all nodes, which does not depend on other load of the machine. *First update*: the first message with a percentage.`,
      lines,
      problems,
      ...(isShort && { notes: ['No query took a second: choose a larger --scale-factor.'] }),
    };
  } finally {
    await store.stop();
    data.remove();
  }
};

async function warmUp(
  cluster: OwnCluster,
  queries: readonly { readonly sql: string }[],
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const connection = new Connection(cluster.url);
  try {
    for (const { sql } of queries) await connection.run(sql, undefined, undefined, settings);
    await cluster.settled();
    for (const { sql } of queries) await connection.run(sql, undefined, undefined, settings);
  } finally {
    await connection.close();
  }
}

function lineOf(what: string, seen: readonly Record<'time' | 'cpu', SeenProgress>[]): Line {
  const [first, ...later] = seen;
  const percents = (clock: 'time' | 'cpu') => later.map((run) => percentAtHalfTime(run[clock]));
  const error = (clock: 'time' | 'cpu') => percents(clock).map((percent) => Math.abs(percent - 50));
  const firsts = seen.map(({ time: { milliseconds, updates } }) => {
    return (updates.find(({ percent }) => percent !== null)?.at ?? milliseconds) / 1000;
  });
  const seconds = (clock: 'time' | 'cpu') => seen.map((run) => run[clock].milliseconds / 1000);
  return {
    what,
    figures: {
      'at half time': figure('', percents('time')),
      error: figure('', error('time'), ERROR_TARGET),
      'at half CPU': figure('', percents('cpu')),
      'error by CPU': figure('', error('cpu'), ERROR_TARGET),
      'first time': figure('', [percentAtHalfTime(first!.time)]),
      'first update': figure('s', firsts, FIRST_TARGET),
      time: figure('s', seconds('time')),
      CPU: figure('s', seconds('cpu')),
    },
  };
}
