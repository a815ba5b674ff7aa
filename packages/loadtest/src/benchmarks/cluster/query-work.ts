import type { WorkloadQuery } from '@tessera/workloads';
import { Connection } from '../../http/connection.ts';
import type { OwnCluster } from '../../processes/cluster.ts';
import { figure } from '../../report/figure.ts';
import type { Line } from '../../report/report.ts';

const ROUNDS = 3;
/** In a row, so that what is measured is long against a tick of the clock of CPU time. */
const RUNS_PER_ROUND = 4;

const ONE_NODE_TARGET = { at: 'most', value: 1.02 } as const;
const INFLATION_TARGET = { at: 'most', value: 1.35 } as const;
const BALANCE_TARGET = { at: 'most', value: 1.25 } as const;

/** CPU seconds of one run, by node. */
type Work = readonly number[];
/** By number of nodes. */
type Round = ReadonlyMap<number, Work>;

const COLUMNS: readonly (readonly [nodes: number, title: string])[] = [
  [0, 'no cluster'],
  [1, '1 node'],
  [2, '2 nodes'],
  [4, '4 nodes'],
];

/** All queries together, then each of them. */
export async function workLines(
  clusters: ReadonlyMap<number, OwnCluster>,
  queries: readonly WorkloadQuery[],
  scale: number,
  progress: (doing: string) => void,
): Promise<Line[]> {
  const runs = scale < 1 ? 1 : RUNS_PER_ROUND;
  const byQuery = new Map<string, Round[]>(queries.map(({ name }) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
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
  const all = Array.from({ length: ROUNDS }, (_, round) =>
    summed([...byQuery.values()].map((rounds) => rounds[round]!)),
  );
  return [line('all queries', all, true), ...[...byQuery].map(([name, rounds]) => line(name, rounds, false))];
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
    COLUMNS.map(([nodes]) => [
      nodes,
      rounds.map((round) => round.get(nodes)!).reduce((sum, work) => sum.map((s, node) => s + work[node]!)),
    ]),
  );

const total = (work: Work): number => work.reduce((sum, seconds) => sum + seconds, 0);

function line(what: string, rounds: readonly Round[], withTargets: boolean): Line {
  const ratio = (of: number, by: number) =>
    rounds.map((round) => total(round.get(of)!) / Math.max(total(round.get(by)!), Number.MIN_VALUE));
  const balance = rounds.map((round) => {
    const work = round.get(4)!;
    return (Math.max(...work) * work.length) / Math.max(total(work), Number.MIN_VALUE);
  });
  const whenAsked = <T>(target: T) => (withTargets ? target : undefined);
  const seconds = COLUMNS.map(([nodes, title]) => [
    title,
    figure(
      's',
      rounds.map((round) => total(round.get(nodes)!)),
    ),
  ]);
  return {
    what,
    figures: {
      ...Object.fromEntries(seconds),
      '1 node ÷ none': figure('×', ratio(1, 0), whenAsked(ONE_NODE_TARGET)),
      '4 nodes ÷ 1': figure('×', ratio(4, 1), whenAsked(INFLATION_TARGET)),
      balance: figure('×', balance, whenAsked(BALANCE_TARGET)),
    },
  };
}
