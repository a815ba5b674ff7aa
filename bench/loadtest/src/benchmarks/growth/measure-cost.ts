import type { WorkloadQuery } from '@tessera/workloads';
import { request } from 'undici';
import { Connection } from '../../http/connection.ts';
import type { OwnCluster } from '../../processes/cluster.ts';
import { MemoryWatch } from '../../processes/resident-memory.ts';

/** The cost of all queries of a workload together. */
export interface Cost {
  /** The CPU seconds of all processes of all nodes, per run of all queries. */
  readonly cpuSeconds: number;
  /** The bytes that the first run read from the object store. */
  readonly readBytes: number;
  /** The bytes that stages sent to others. */
  readonly exchangedBytes: number;
  /** The sum of the nodes' peak resident memory. */
  readonly peakBytes: number;
}

const FETCHED = 'tessera_storage_agent_fetched_bytes_total';

/**
 * Runs all queries once to warm up, which reads the data, then once more for the CPU time, and once with
 * EXPLAIN.
 */
export async function measureCost(
  cluster: OwnCluster,
  queries: readonly WorkloadQuery[],
  runs: number,
  progress: (doing: string) => void,
): Promise<Cost> {
  const watches = cluster.nodes.map(({ pid }) => new MemoryWatch(pid!));
  const connections = cluster.nodes.map(({ url }) => new Connection(url));
  let next = 0;
  const run = (sql: string, format?: string) =>
    connections[next++ % connections.length]!.run(sql, format ?? 'TabSeparatedWithNames');
  try {
    const before = await fetchedBytes(cluster);
    for (const { name, sql } of queries) {
      progress(`${name}, first run`);
      await run(sql);
    }
    await cluster.settled();
    const readBytes = (await fetchedBytes(cluster)) - before;
    const started = total(cluster.cpuSeconds());
    for (let n = 0; n < runs; n++) {
      progress(`all queries, run ${n + 1}`);
      for (const { sql } of queries) await run(sql);
    }
    const cpuSeconds = (total(cluster.cpuSeconds()) - started) / runs;
    let exchangedBytes = 0;
    for (const { name, sql } of queries) {
      progress(`${name}, explained`);
      const { text } = await run(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, 'JSONLines_Compact');
      exchangedBytes += bytesOfStages(text);
    }
    const peakBytes = total(watches.map((watch) => watch.peakBytes));
    return { cpuSeconds, readBytes, exchangedBytes, peakBytes };
  } finally {
    await Promise.all(connections.map((connection) => connection.close()));
    await Promise.all(watches.map((watch) => watch.stop()));
  }
}

const total = (parts: readonly number[]): number => parts.reduce((sum, part) => sum + part, 0);

async function fetchedBytes({ nodes }: OwnCluster): Promise<number> {
  const each = nodes.map(async ({ metricsUrl }) => {
    const { body } = await request(`${metricsUrl}/metrics`);
    const value = new RegExp(`^${FETCHED}\\{\\S+\\} (\\S+)$`, 'm').exec(await body.text())?.[1];
    if (value === undefined) throw new Error(`The node has no metric ${FETCHED}`);
    return Number(value);
  });
  return total(await Promise.all(each));
}

/** The bytes that stages sent, without estimates; the text is JSON within JSON. */
const bytesOfStages = (text: string): number =>
  total([...text.matchAll(/\\"bytes\\":(\d+),\\"skew\\"/g)].map((match) => Number(match[1])));
