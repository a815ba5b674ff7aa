import type { WorkloadQuery } from '@tessera/workloads';
import { Connection } from '../../http/connection.ts';
import type { OwnCluster } from '../../processes/cluster.ts';
import { type Figure, figure } from '../../report/figure.ts';
import type { Line } from '../../report/report.ts';
import { plannedText } from './planned-text.ts';

/**
 * The number of consecutive runs, so that the measured time is long in comparison with a tick of the CPU
 * clock.
 */
const RUNS_PER_ROUND = 4;
/** A round ends when its runs have taken this many CPU seconds in total. */
const ENOUGH_SECONDS = 4;

/** The number of nodes that the targets apply to. */
const TARGET_NODES = 4;
const BALANCE_TARGET = { at: 'most', value: 1.25 } as const;

/**
 * How a query is run: `one` on one node of the cluster, `free` on as many as the planner chooses, `forced` on
 * all.
 */
const MODES = ['one', 'free', 'forced'] as const;
type Mode = (typeof MODES)[number];

/** The CPU seconds of one run, by node. */
type Work = readonly number[];
type Round = Readonly<Record<Mode, Work>>;

/** The most that several nodes may cost, as a multiple of one node: all queries together, or a single query. */
export interface WorkTargets {
  readonly free?: number;
  readonly freeQuery?: number;
  readonly forced?: number;
  readonly forcedQueries?: Readonly<Record<string, number>>;
}

export interface WorkPlan {
  readonly rounds: number;
  readonly targets: WorkTargets;
  progress(doing: string): void;
}

/** The total of all queries, then each query with its plan. */
export async function workLines(
  cluster: OwnCluster,
  queries: readonly WorkloadQuery[],
  { rounds, targets, progress }: WorkPlan,
): Promise<Line[]> {
  const byQuery = new Map<string, Round[]>(queries.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { name, sql }] of queries.entries()) {
      progress(`cluster: round ${round} of ${name}`);
      const answers = new Set<number>();
      const found: Partial<Record<Mode, Work>> = {};
      for (const mode of MODES) {
        const run = { sql, mode, isWarmUp: round === 0, firstNode: index };
        const { work, rows } = await workOf(cluster, run);
        found[mode] = work;
        answers.add(rows);
      }
      if (answers.size > 1)
        throw new Error(`${name}: ${MODES.join(', ')} answer ${[...answers].join(', ')} rows`);
      if (round > 0) byQuery.get(name)!.push(found as Round);
    }
    if (round === 0) await cluster.settled();
  }
  const all = Array.from({ length: rounds }, (_, round) =>
    summed([...byQuery.values()].map((found) => found[round]!)),
  );
  const lines = [line('all queries', all, { isAll: true, free: targets.free, forced: targets.forced })];
  for (const { name, sql } of queries) {
    const texts = {
      'chosen plan': await plannedText(cluster.url, sql, settingsOf('free', cluster)),
      'forced plan': await plannedText(cluster.url, sql, settingsOf('forced', cluster)),
    };
    const most = { isAll: false, free: targets.freeQuery, forced: targets.forcedQueries?.[name] };
    lines.push({ ...line(name, byQuery.get(name)!, most), texts });
  }
  return lines;
}

const settingsOf = (mode: Mode, cluster: OwnCluster): string =>
  `nodes_per_query = ${{ one: 1, free: 0, forced: cluster.nodes.length }[mode]}`;

interface Runs {
  readonly sql: string;
  readonly mode: Mode;
  /** Whether the query runs once on each node that is asked. */
  readonly isWarmUp: boolean;
  readonly firstNode: number;
}

/** A single node is always the first one; with several nodes, the coordinator changes from run to run. */
async function workOf(
  cluster: OwnCluster,
  { sql, mode, isWarmUp, firstNode }: Runs,
): Promise<{ readonly work: Work; readonly rows: number }> {
  const asked = mode === 'one' ? cluster.nodes.slice(0, 1) : cluster.nodes;
  const connections = asked.map(({ url }) => new Connection(url));
  const statement = `${sql} WITH (${settingsOf(mode, cluster)})`;
  let rows = 0;
  const before = cluster.cpuSeconds();
  let runs = 0;
  let taken: Work;
  do {
    const { text } = await connections[(firstNode + runs) % connections.length]!.run(statement);
    rows = text.split('\n').length - 2;
    runs += 1;
    taken = cluster.cpuSeconds().map((seconds, node) => seconds - before[node]!);
  } while (isWarmUp ? runs < asked.length : runs < RUNS_PER_ROUND && total(taken) < ENOUGH_SECONDS);
  await Promise.all(connections.map((connection) => connection.close()));
  return { work: taken.map((seconds) => seconds / runs), rows };
}

const summed = (rounds: readonly Round[]): Round => {
  const of = (mode: Mode) =>
    rounds.map((round) => round[mode]).reduce((sum, work) => sum.map((s, node) => s + work[node]!));
  return { one: of('one'), free: of('free'), forced: of('forced') };
};

const total = (work: Work): number => work.reduce((sum, seconds) => sum + seconds, 0);

interface LineOptions {
  readonly isAll: boolean;
  readonly free: number | undefined;
  readonly forced: number | undefined;
}

function line(what: string, rounds: readonly Round[], { isAll, free, forced }: LineOptions): Line {
  const nodes = rounds[0]!.one.length;
  const ratio = (mode: Mode) =>
    rounds.map((round) => total(round[mode]) / Math.max(total(round.one), Number.MIN_VALUE));
  const seconds = (mode: Mode) =>
    figure(
      's',
      rounds.map((round) => total(round[mode])),
    );
  const whenAsked = <T>(target: T) => (nodes === TARGET_NODES ? target : undefined);
  const atMost = (value: number | undefined) =>
    value === undefined ? undefined : whenAsked({ at: 'most', value } as const);
  const balance = rounds.map(
    ({ forced: work }) => (Math.max(...work) * nodes) / Math.max(total(work), Number.MIN_VALUE),
  );
  const figures: Record<string, Figure> = {
    'one node': seconds('one'),
    free: seconds('free'),
    'free ÷ one': figure('×', ratio('free'), atMost(free)),
    [`forced on ${nodes}`]: seconds('forced'),
    'forced ÷ one': figure('×', ratio('forced'), atMost(forced)),
    'balance, forced': figure('×', balance, isAll ? whenAsked(BALANCE_TARGET) : undefined),
  };
  return { what, figures };
}
