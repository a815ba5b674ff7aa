import { pause, SeededRandom } from '@tessera/common';
import type { Benchmark } from '../benchmark.ts';
import { HttpSession } from '../load/http-session.ts';
import { OwnDevCluster } from '../processes/dev-cluster.ts';
import { figure } from '../report/figure.ts';
import type { Chart, Line } from '../report/report.ts';
import { Bank } from './chaos/bank.ts';
import { Client } from './chaos/client.ts';
import { type Fault, faultPlan } from './chaos/fault-plan.ts';
import { Journal } from './chaos/journal.ts';
import { KnownAnswers } from './chaos/known-answers.ts';

const NODES = 3;
const FAULTS = 12;
const LEAST_FAULTS = 2;
const ROWS = 500_000;
const LEAST_ROWS = 20_000;
const READERS = 2;
const WRITERS = 2;
const BACK_WITHIN_MS = 60_000;
const ASK_EVERY_MS = 50;
const ASK_LIMIT_MS = 2_000;
/** The time without faults, before the first and after the last. */
const CALM_MS = 3_000;

/** An injected fault, with times by the clock of this process. */
interface DoneFault extends Fault {
  readonly at: number;
  /** When the node could continue; its recovery time counts from here. */
  readonly released: number;
  /** When the node answered again. */
  readonly back: number;
}

/**
 * Nodes are killed and paused while queries with known results and transfers of money run; every answer is
 * checked.
 */
export const chaos: Benchmark = async ({ scale, options, duckdb, signal, progress }) => {
  const nodes = options.nodes?.[0] ?? NODES;
  const plan = faultPlan(Math.max(LEAST_FAULTS, Math.round(FAULTS * scale)), nodes, options.seed);
  progress(`starting ${nodes} nodes`);
  const cluster = await OwnDevCluster.start(nodes);
  const sessions = cluster.urls.map((url) => new HttpSession(url, { limitMs: ASK_LIMIT_MS }));
  const loader = new HttpSession(cluster.urls[0]!, { limitMs: 0 });
  const clients: Client[] = [];
  const [reads, transfers, audits] = [new Journal(), new Journal(), new Journal()];
  try {
    const run = (sql: string) => loader.query(sql);
    const bank = new Bank();
    await bank.prepare(run);
    const answers = await KnownAnswers.prepare(run, duckdb, Math.max(LEAST_ROWS, Math.round(ROWS * scale)));
    const stop = new AbortController();
    const loop = async (
      journal: Journal,
      seed: number,
      step: (client: Client, random: SeededRandom) => Promise<void>,
    ) => {
      const client = new Client(cluster.urls, journal, seed);
      clients.push(client);
      const random = new SeededRandom(options.seed * 100 + seed);
      while (!stop.signal.aborted) await step(client, random);
    };
    const begin = performance.now();
    const running = Promise.all([
      ...Array.from({ length: READERS }, (_, n) => loop(reads, n, (c, random) => answers.ask(c, random))),
      ...Array.from({ length: WRITERS }, (_, n) =>
        loop(transfers, 10 + n, (c, random) => bank.transfer(c, random)),
      ),
      loop(audits, 20, (c) => bank.audit(c)),
    ]);
    const wrong = running.then(() => Promise.reject(new Error('The clients ended')));
    wrong.catch(() => undefined);
    const done: DoneFault[] = [];
    const hurt = async () => {
      await pause(CALM_MS);
      for (const [n, fault] of plan.entries()) {
        if (signal.aborted) break;
        progress(`fault ${n + 1} of ${plan.length}: ${fault.kind} node ${fault.node}`, n / plan.length);
        done.push(await doFault(cluster, sessions, fault));
      }
      await pause(CALM_MS);
    };
    await Promise.race([hurt(), wrong]).finally(() => stop.abort());
    await running;
    const end = performance.now();
    const problems = await bank.problems(loader);
    if (problems.length > 0)
      throw new Error(`${problems.length} problems: ${problems.slice(0, 10).join('; ')}`);
    return {
      benchmark: 'chaos',
      title: 'Nodes that die and stand still',
      method: method(nodes, done, options.seed, bank.transfers),
      lines: [
        ...[['queries', reads] as const, ['transfers', transfers] as const, ['audits', audits] as const].map(
          ([what, journal]) => journalLine(what, journal, (end - begin) / 1_000),
        ),
        ...faultLines(done, end, reads, transfers),
      ],
      charts: [timeline(begin, end, done, { queries: reads, transfers })],
    };
  } finally {
    await Promise.all([...clients, ...sessions, loader].map((one) => one.close()));
    await cluster.stop();
  }
};

async function doFault(
  cluster: OwnDevCluster,
  sessions: readonly HttpSession[],
  fault: Fault,
): Promise<DoneFault> {
  await pause(fault.afterMs);
  const at = performance.now();
  if (fault.kind === 'kill') {
    cluster.signal(fault.node, 'SIGKILL');
  } else {
    cluster.signal(fault.node, 'SIGSTOP');
    await pause(fault.forMs);
    cluster.signal(fault.node, 'SIGCONT');
  }
  const released = performance.now();
  const session = sessions[fault.node]!;
  const deadline = released + BACK_WITHIN_MS;
  // A node answers this query once it has its tables again.
  while (!(await answers(session))) {
    if (performance.now() > deadline)
      throw new Error(
        `Node ${fault.node} did not come back within ${BACK_WITHIN_MS / 1_000} s after a ${fault.kind}`,
      );
    await pause(ASK_EVERY_MS);
  }
  return { ...fault, at, released, back: performance.now() };
}

const answers = (session: HttpSession): Promise<boolean> =>
  session.query('SELECT count(*) FROM accounts').then(
    () => true,
    () => false,
  );

function journalLine(what: string, journal: Journal, seconds: number): Line {
  const failures = [...journal.failures].map(([name, count]) => [name, figure('', [count])] as const);
  return {
    what,
    figures: {
      throughput: figure('requests/s', [journal.answered / seconds]),
      'available %': figure('', [journal.availability * 100]),
      elsewhere: figure('', [journal.elsewhere]),
      'at no node': figure('', [journal.refused]),
      conflicts: figure('', [journal.conflicts]),
      ...Object.fromEntries(failures),
    },
  };
}

/**
 * For each kind of fault: the longest time without any answer, and the time until the node itself was back.
 */
function faultLines(done: readonly DoneFault[], end: number, reads: Journal, transfers: Journal): Line[] {
  const until = new Map(done.map((fault, n) => [fault, done[n + 1]?.at ?? end]));
  return [...Map.groupBy(done, ({ kind }) => kind)].map(([kind, faults]) => {
    const silence = (journal: Journal) =>
      figure(
        's',
        faults.map((fault) => journal.longestSilence(fault.at, until.get(fault)!) / 1_000),
      );
    return {
      what: `after a ${kind} (${faults.length})`,
      figures: {
        'no query for': silence(reads),
        'no transfer for': silence(transfers),
        'node back after': figure(
          's',
          faults.map(({ released, back }) => (back - released) / 1_000),
        ),
      },
    };
  });
}

function timeline(
  begin: number,
  end: number,
  done: readonly DoneFault[],
  journals: Readonly<Record<string, Journal>>,
): Chart {
  const seconds = Math.floor((end - begin) / 1_000);
  const faults = (kind: Fault['kind']) => ({
    name: kind,
    points: done.filter((fault) => fault.kind === kind).map(({ at }) => ({ x: (at - begin) / 1_000, y: 0 })),
  });
  return {
    title: 'Answers by second, and faults',
    x: { label: 's', scale: 'linear' },
    y: { label: 'answers/s', scale: 'linear' },
    series: [
      ...Object.entries(journals).map(([name, journal]) => ({
        name,
        points: journal.bySecond(begin, seconds).map((y, x) => ({ x, y })),
      })),
      faults('kill'),
      faults('pause'),
    ],
  };
}

const method = (nodes: number, done: readonly DoneFault[], seed: number, transfers: number): string =>
  `\`tessera dev-cluster --nodes ${nodes} --restart\`, all on this machine. ${done.length} times, at times and nodes drawn from seed ${seed}, a node is killed (SIGKILL; it is started again after a second) or paused for 2 to 8 s (SIGSTOP, SIGCONT); the next fault comes when the node of the last one answers again. Meanwhile ${READERS} clients ask queries over all nodes whose answers plain DuckDB told, ${WRITERS} move money in transactions, and one sums all accounts up. A client that gets no answer from a node within 5 s, or an error, asks the next one (*elsewhere*); *available* counts what some node answered. One wrong answer, one account that the ledger does not explain, one of ${transfers.toLocaleString('en-US')} committed transfers lost, one refused transfer found, and the benchmark fails. *Conflicts*: transactions refused because another was faster, and repeated. The columns behind count failures at single nodes.`;
