import type { WorkloadQuery } from '@tessera/workloads';
import { Connection } from '../../http/connection.ts';
import type { OwnCluster } from '../../processes/cluster.ts';
import { type Figure, figure } from '../../report/figure.ts';
import type { Line } from '../../report/report.ts';

/** In a row, so that what is measured is long against a tick of the clock of CPU time. */
const RUNS_PER_ROUND = 4;

const ONE_NODE_TARGET = { at: 'most', value: 1.02 } as const;
/** The targets of several nodes are of so many. */
const TARGET_NODES = 4;
const INFLATION_TARGET = { at: 'most', value: 1.35 } as const;
const BALANCE_TARGET = { at: 'most', value: 1.25 } as const;

/** CPU seconds of one run, by node. */
type Work = readonly number[];
/** By number of nodes; 0 is a node that is no cluster. */
type Round = ReadonlyMap<number, Work>;

export interface WorkPlan {
  readonly rounds: number;
  readonly scale: number;
  progress(doing: string): void;
}

export const nodesText = (nodes: number): string =>
  nodes === 0 ? 'no cluster' : `${nodes} node${nodes === 1 ? '' : 's'}`;

/** All queries together, then each of them. */
export async function workLines(
  clusters: ReadonlyMap<number, OwnCluster>,
  queries: readonly WorkloadQuery[],
  { rounds, scale, progress }: WorkPlan,
): Promise<Line[]> {
  const runs = scale < 1 ? 1 : RUNS_PER_ROUND;
  const byQuery = new Map<string, Round[]>(queries.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, sql } of queries) {
      progress(`cluster: round ${round} of ${name}`);
      const found = new Map<number, Work>();
      const answers = new Set<string>();
      for (const [nodes, cluster] of clusters) {
        const { work, rows } = await workOf(cluster, sql, round === 0 ? Math.max(1, nodes) : runs);
        found.set(nodes, work);
        answers.add(String(rows));
      }
      if (answers.size > 1) throw new Error(`${name}: clusters answer ${[...answers].join(', ')} rows`);
      if (round > 0) byQuery.get(name)!.push(found);
    }
    if (round === 0) for (const cluster of clusters.values()) await cluster.settled();
  }
  const all = Array.from({ length: rounds }, (_, round) =>
    summed([...byQuery.values()].map((found) => found[round]!)),
  );
  return [line('all queries', all, true), ...[...byQuery].map(([name, found]) => line(name, found, false))];
}

async function workOf(
  cluster: OwnCluster,
  sql: string,
  runs: number,
): Promise<{ readonly work: Work; readonly rows: number }> {
  const connections = cluster.nodes.map(({ url }) => new Connection(url));
  let rows = 0;
  const before = cluster.cpuSeconds();
  for (let run = 0; run < runs; run++) {
    const { text } = await connections[run % connections.length]!.run(sql);
    rows = text.split('\n').length - 2;
  }
  const after = cluster.cpuSeconds();
  await Promise.all(connections.map((connection) => connection.close()));
  return { work: after.map((seconds, node) => (seconds - before[node]!) / runs), rows };
}

const summed = (rounds: readonly Round[]): Round =>
  new Map(
    [...rounds[0]!.keys()].map((nodes) => [
      nodes,
      rounds.map((round) => round.get(nodes)!).reduce((sum, work) => sum.map((s, node) => s + work[node]!)),
    ]),
  );

const total = (work: Work): number => work.reduce((sum, seconds) => sum + seconds, 0);

function line(what: string, rounds: readonly Round[], withTargets: boolean): Line {
  const sizes = [...rounds[0]!.keys()];
  const each = (of: (round: Round) => number) => rounds.map(of);
  const ratio = (of: number, by: number) =>
    each((round) => total(round.get(of)!) / Math.max(total(round.get(by)!), Number.MIN_VALUE));
  const figures: Record<string, Figure> = {};
  for (const nodes of sizes)
    figures[nodesText(nodes)] = figure(
      's',
      each((round) => total(round.get(nodes)!)),
    );
  if (sizes.includes(1))
    figures['1 node ÷ none'] = figure('×', ratio(1, 0), withTargets ? ONE_NODE_TARGET : undefined);
  const most = Math.max(...sizes);
  if (most > 1) {
    const whenAsked = <T>(target: T) => (withTargets && most === TARGET_NODES ? target : undefined);
    const balance = each((round) => {
      const work = round.get(most)!;
      return (Math.max(...work) * work.length) / Math.max(total(work), Number.MIN_VALUE);
    });
    if (sizes.includes(1))
      figures[`${nodesText(most)} ÷ 1`] = figure('×', ratio(most, 1), whenAsked(INFLATION_TARGET));
    figures.balance = figure('×', balance, whenAsked(BALANCE_TARGET));
  }
  return { what, figures };
}
