import type { WorkloadQuery } from '@tessera/workloads';
import type { Bench } from '../benchmark.ts';
import type { Peer, PeerRun } from '../peers/peer.ts';
import { answerDifference } from './answer-difference.ts';
import type { MeasuredSystem } from './measured-system.ts';

/** Milliseconds by query, then by system; systems without an answer are absent. */
export type Times = ReadonlyMap<string, ReadonlyMap<string, number>>;

export interface Round {
  readonly times: Times;
  /** CPU seconds by system; systems on other machines are absent. */
  readonly cpuSeconds: ReadonlyMap<string, number>;
}

export interface MeasuredRounds {
  /** The first pass after a restart, for systems that can be restarted; empty if ours cannot. */
  readonly first: Times;
  readonly rounds: readonly Round[];
  /** Passes of our system with results reused, as many as rounds; empty without `repeats`. */
  readonly repeated: readonly Times[];
  /** Differing answers, and queries that our system cannot run. */
  readonly problems: readonly string[];
  /** Queries that peers cannot run. */
  readonly notes: readonly string[];
}

export interface RoundsPlan {
  readonly queries: readonly WorkloadQuery[];
  /** The systems, ours first. */
  readonly systems: readonly MeasuredSystem[];
  readonly runs: number;
  readonly limitMs: number;
  /** Whether our system also repeats the queries with results reused. */
  readonly repeats: boolean;
}

/**
 * Measures rounds of queries. An interruption ends it after the running query; incomplete rounds do not
 * count.
 */
export async function measuredRounds(
  plan: RoundsPlan,
  { progress, signal }: Pick<Bench, 'progress' | 'signal'>,
): Promise<MeasuredRounds> {
  const { queries, systems, runs } = plan;
  const asker = new Asker(plan.limitMs, signal);
  const problems: string[] = [];
  const ours = systems[0]!.peer;
  const restartable = ours.restart === undefined ? [] : systems.filter(({ peer }) => peer.restart);
  const steps =
    queries.length * (runs + 1 + (restartable.length > 0 ? 1 : 0) + (plan.repeats ? runs + 1 : 0));
  let step = 0;

  /** One pass over the queries; undefined if it was interrupted. */
  const pass = async (
    what: string,
    of: readonly MeasuredSystem[],
    onAnswers: (query: WorkloadQuery, answers: ReadonlyMap<Peer, PeerRun>) => void,
    how: 'run' | 'runReusing' = 'run',
  ): Promise<Times | undefined> => {
    const times = new Map<string, ReadonlyMap<string, number>>();
    for (const [n, query] of queries.entries()) {
      progress(`${what}, ${query.name}`, step++ / steps);
      const answers = new Map<Peer, PeerRun>();
      for (const { peer } of rotated(of, n + step)) {
        if (signal.aborted) return undefined;
        const answer = await asker.ask(peer, query, how);
        if (answer !== undefined) answers.set(peer, answer);
      }
      times.set(query.name, new Map([...answers].map(([peer, run]) => [peer.name, run.milliseconds])));
      onAnswers(query, answers);
    }
    return times;
  };

  for (const system of restartable) {
    progress(`starting ${system.peer.name} again`);
    await system.restart();
  }
  const first = restartable.length === 0 ? undefined : await pass('first run', restartable, () => {});
  await settle(systems);
  const warmed = await pass('warming up', systems, (query, answers) => {
    problems.push(...differences(query, systems, answers));
  });
  await settle(systems);
  const rounds: Round[] = [];
  while (warmed !== undefined && rounds.length < runs) {
    const before = systems.map((system) => system.cpuSeconds());
    const times = await pass(`run ${rounds.length + 1}`, systems, () => {});
    if (times === undefined) break;
    const cpuSeconds = new Map<string, number>();
    for (const [n, system] of systems.entries())
      if (before[n] !== undefined) cpuSeconds.set(system.peer.name, system.cpuSeconds()! - before[n]);
    rounds.push({ times, cpuSeconds });
  }
  const repeated: Times[] = [];
  const reused = new Map<string, string>();
  const compare = (query: WorkloadQuery, answers: ReadonlyMap<Peer, PeerRun>) => {
    const values = JSON.stringify(answers.get(ours)?.values);
    if (reused.has(query.name) && reused.get(query.name) !== values)
      problems.push(`${query.name}: ${ours.name} reuses another result than it computed`);
    reused.set(query.name, values);
  };
  const repeats = plan.repeats && ours.runReusing !== undefined ? rounds.length : -1;
  for (let run = 0; run <= repeats; run++) {
    const times = await pass(`repeated run ${run}`, systems.slice(0, 1), compare, 'runReusing');
    if (times === undefined) break;
    // The first one computes the results.
    if (run > 0) repeated.push(times);
  }
  if (rounds.length === 0) throw new Error('broken off before a round was whole');
  const failures = asker.failures.map(({ peer, text }) => ({ ours: peer === ours, text }));
  return {
    first: first ?? new Map(),
    rounds,
    repeated,
    problems: [...failures.filter((one) => one.ours).map(({ text }) => text), ...problems],
    notes: failures.filter((one) => !one.ours).map(({ text }) => text),
  };
}

/** Remembers which queries a system cannot run, and does not repeat them. */
class Asker {
  readonly failures: { readonly peer: Peer; readonly query: string; readonly text: string }[] = [];
  readonly #limitMs: number;
  readonly #signal: AbortSignal;

  constructor(limitMs: number, signal: AbortSignal) {
    this.#limitMs = limitMs;
    this.#signal = signal;
  }

  async ask(
    peer: Peer,
    { name, sql, dialects }: WorkloadQuery,
    how: 'run' | 'runReusing',
  ): Promise<PeerRun | undefined> {
    if (this.failures.some((failure) => failure.peer === peer && failure.query === name)) return undefined;
    try {
      return await peer[how]!(dialects?.[peer.dialect ?? ''] ?? sql, this.#limitMs);
    } catch (error) {
      if (this.#signal.aborted) return undefined;
      const [reason = ''] = (error as Error).message.replace(`${peer.name}: `, '').split('\n');
      const text = `${peer.name} did not answer ${name}: ${reason.slice(0, 300)}`;
      this.failures.push({ peer, query: name, text });
      return undefined;
    }
  }
}

async function settle(systems: readonly MeasuredSystem[]): Promise<void> {
  for (const { peer } of systems) await peer.settled?.();
}

function differences(
  { name, sql }: WorkloadQuery,
  systems: readonly MeasuredSystem[],
  answers: ReadonlyMap<Peer, PeerRun>,
): string[] {
  const [{ peer: ours }, ...others] = systems as [MeasuredSystem, ...MeasuredSystem[]];
  const expected = answers.get(ours);
  if (expected === undefined) return [];
  const names = expected.names ?? expected.values[0]?.map(String) ?? [];
  return others.flatMap(({ peer }) => {
    const found = answers.get(peer);
    if (found === undefined) return [];
    const fewDigits = peer.shortQuotients ?? false;
    const difference = answerDifference(sql, names, expected, { values: found.values, fewDigits });
    return difference === undefined
      ? []
      : [`${name}: ${ours.name} and ${peer.name} answer differently: ${difference}`];
  });
}

const rotated = <T>(all: readonly T[], by: number): T[] => [
  ...all.slice(by % all.length),
  ...all.slice(0, by % all.length),
];
