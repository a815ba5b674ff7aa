import { newUlid } from '@tessera/common';
import { tpch } from '@tessera/workloads';
import type { Benchmark } from '../benchmark.ts';
import { loadWorkload } from '../data/load-workload.ts';
import { WorkloadData } from '../data/workload-data.ts';
import { neverGoesBack, percentAtHalfTime, type SeenProgress, seenProgress } from '../http/progress.ts';
import { OwnCluster } from '../processes/cluster.ts';
import { DevStore } from '../processes/dev-store.ts';
import { figure } from '../report/figure.ts';
import type { Line } from '../report/report.ts';
import { chosenQueries, queriesText } from '../suites/chosen-queries.ts';

/** The default of `--nodes`. */
const NODES = [1, 3];
/** Too few messages are seen of shorter queries. */
const LEAST_MS = 1_000;
const ERROR_TARGET = { at: 'most', value: 10 } as const;
const FIRST_TARGET = { at: 'most', value: 0.5 } as const;

/** Compares the progress that a client sees with the time that has passed. */
export const progress: Benchmark = async ({ scale, options, progress: show }) => {
  const scaleFactor = options.scaleFactor ?? scale;
  const queries = chosenQueries(tpch, options.queries);
  const runs = options.runs ?? 1;
  const data = await WorkloadData.generate(tpch, { scale: scaleFactor, progress: show });
  const store = await DevStore.start();
  const instanceId = newUlid();
  const lines: Line[] = [];
  const problems: string[] = [];
  try {
    for (const nodes of options.nodes ?? NODES) {
      const cluster = await OwnCluster.start({ store, instanceId, nodes });
      try {
        if (lines.length === 0) {
          await loadWorkload(cluster.url, tpch, data.directory, {
            progress: (table) => show(`loading ${table}`),
          });
        }
        const settings = { nodes_per_query: String(nodes) };
        for (const { name, sql } of queries) {
          show(`progress: ${name} on ${nodes}`);
          // The first run reads the tables into memory.
          await seenProgress(cluster.url, sql, settings);
          const seen: SeenProgress[] = [];
          for (let run = 0; run < runs; run++) seen.push(await seenProgress(cluster.url, sql, settings));
          if (!seen.every(neverGoesBack)) problems.push(`The progress of ${name} on ${nodes} went back`);
          if (seen.every(({ milliseconds }) => milliseconds >= LEAST_MS))
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
      method: `${queriesText(queries)} of TPC-H at scale factor ${data.scale} with \`progress=true\`, each on all nodes of a cluster of its own, all on this machine; those that take less than a second are left out. *At half time*: the percentage shown when half of the query's time had passed; *error*: its distance from 50. *First update*: the first message with a percentage.`,
      lines,
      problems,
      ...(isShort && { notes: ['No query took a second: choose a larger --scale-factor.'] }),
    };
  } finally {
    await store.stop();
    data.remove();
  }
};

function lineOf(what: string, seen: readonly SeenProgress[]): Line {
  const percents = seen.map(percentAtHalfTime);
  const firsts = seen.map(({ milliseconds, updates }) => {
    return (updates.find(({ percent }) => percent !== null)?.at ?? milliseconds) / 1000;
  });
  return {
    what,
    figures: {
      'at half time': figure('', percents),
      error: figure(
        '',
        percents.map((percent) => Math.abs(percent - 50)),
        ERROR_TARGET,
      ),
      'first update': figure('s', firsts, FIRST_TARGET),
      time: figure(
        's',
        seen.map(({ milliseconds }) => milliseconds / 1000),
      ),
    },
  };
}
