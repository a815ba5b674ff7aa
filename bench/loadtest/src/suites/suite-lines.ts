import type { WorkloadQuery } from '@tessera/workloads';
import { type Figure, figure, type Target } from '../report/figure.ts';
import type { Chart, Line } from '../report/report.ts';
import type { Round, Times } from './measured-rounds.ts';
import type { MeasuredSystem } from './measured-system.ts';

const BYTES_PER_MB = 1e6;

type TargetByPeer = Readonly<Record<string, Target>>;

/** The targets for ratios of a suite. */
export interface SuiteTargets {
  readonly firstRun?: TargetByPeer;
  readonly laterRuns?: TargetByPeer;
  readonly geometricMean?: TargetByPeer;
  /** The geometric mean of repeated queries, whose results are reused. */
  readonly repeated?: TargetByPeer;
}

/** Sums and means, then each query. */
export function queryLines(
  names: readonly string[],
  queries: readonly WorkloadQuery[],
  first: Times,
  rounds: readonly Round[],
  targets: SuiteTargets,
): Line[] {
  const later = rounds.map(({ times }) => times);
  const firstLines =
    first.size === 0 ? [] : [sumLine('first run, all queries', names, [first], targets.firstRun)];
  return [
    ...firstLines,
    sumLine('later runs, all queries', names, later, targets.laterRuns),
    meanLine('later runs, geometric mean', names, later, targets.geometricMean),
    ...queries.map((query) => queryLine(query.name, names, later)),
  ];
}

/** Our queries with reused results, in relation to those that the peers computed. */
export function repeatedLines(
  [ours, ...peers]: readonly string[],
  rounds: readonly Round[],
  repeated: readonly Times[],
  targets: TargetByPeer | undefined,
): Line[] {
  if (repeated.length === 0) return [];
  const passes = repeated.map((pass, n): Times => {
    const { times } = rounds[n]!;
    return new Map(
      [...times].map(([query, byName]) => {
        const mine = pass.get(query)?.get(ours!);
        return [query, new Map([...byName, ...(mine === undefined ? [] : [[ours!, mine] as const])])];
      }),
    );
  });
  return [
    sumLine('repeated, results reused, all queries', [ours!, ...peers], passes),
    meanLine('repeated, results reused, geometric mean', [ours!, ...peers], passes, targets),
  ];
}

const titleOfRatio = (peer: string): string => `÷ ${peer}`;

/** Sums over the queries that a system answered; ratios over those that both systems answered. */
function sumLine(
  what: string,
  names: readonly string[],
  passes: readonly Times[],
  targets: TargetByPeer = {},
): Line {
  const [ours, ...peers] = names as [string, ...string[]];
  const sum = (pass: Times, of: string, both: string) =>
    commonTimes(pass, of, both).reduce((total, [time]) => total + time, 0);
  const figures: Record<string, Figure> = {};
  for (const name of names) {
    const answered = commonTimes(passes[0]!, name, name).length;
    // A sum over fewer queries would look fast.
    if (answered < passes[0]!.size) continue;
    figures[name] = figure(
      's',
      passes.map((pass) => sum(pass, name, name) / 1000),
    );
  }
  for (const peer of peers) {
    if (commonTimes(passes[0]!, ours, peer).length === 0) continue;
    const ratios = passes.map((pass) => sum(pass, ours, peer) / sum(pass, peer, ours));
    figures[titleOfRatio(peer)] = figure('×', ratios, targets[peer]);
  }
  return { what, figures };
}

function meanLine(
  what: string,
  [ours, ...peers]: readonly string[],
  passes: readonly Times[],
  targets: TargetByPeer = {},
): Line {
  const figures: Record<string, Figure> = {};
  for (const peer of peers) {
    const ratios = passes.map((pass) => {
      const logs = commonTimes(pass, ours!, peer).map(([mine, theirs]) => Math.log(mine / theirs));
      return Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
    });
    if (ratios.every(Number.isFinite)) figures[titleOfRatio(peer)] = figure('×', ratios, targets[peer]);
  }
  return { what, figures };
}

function queryLine(query: string, names: readonly string[], passes: readonly Times[]): Line {
  const [ours, ...peers] = names as [string, ...string[]];
  const samples = (name: string) =>
    passes.map((pass) => pass.get(query)!.get(name)).filter((time) => time !== undefined);
  const figures: Record<string, Figure> = {};
  for (const name of names) {
    const times = samples(name).map((time) => time / 1000);
    if (times.length > 0) figures[name] = figure('s', times);
  }
  for (const peer of peers) {
    const [mine, theirs] = [samples(ours), samples(peer)];
    const ratios = mine.map((time, n) => time / theirs[n]!).filter(Number.isFinite);
    if (ratios.length > 0) figures[titleOfRatio(peer)] = figure('×', ratios);
  }
  return { what: query, figures };
}

/** The times of the queries that both systems answered. */
const commonTimes = (pass: Times, one: string, other: string): [number, number][] =>
  [...pass.values()].flatMap((byName) => {
    const [first, second] = [byName.get(one), byName.get(other)];
    return first === undefined || second === undefined ? [] : [[first, second] as [number, number]];
  });

/** Costs other than time. */
export function costLines(systems: readonly MeasuredSystem[], rounds: readonly Round[]): Line[] {
  const of = (
    what: string,
    samples: (system: MeasuredSystem) => readonly (number | undefined)[],
    unit: 's' | 'MB',
  ) => {
    const figures = systems.flatMap((system) => {
      const known = samples(system).filter((value) => value !== undefined);
      return known.length === 0 ? [] : [[system.peer.name, figure(unit, known)] as const];
    });
    return { what, figures: Object.fromEntries(figures) };
  };
  const megabytes = (bytes: number | undefined) => (bytes === undefined ? undefined : bytes / BYTES_PER_MB);
  return [
    of('loading', ({ loadCost }) => [loadCost?.seconds], 's'),
    of('CPU, loading', ({ loadCost }) => [loadCost?.cpuSeconds], 's'),
    of(
      'CPU, a later run of all queries',
      ({ peer }) => rounds.map(({ cpuSeconds }) => cpuSeconds.get(peer.name)),
      's',
    ),
    of('stored', ({ loadCost }) => [megabytes(loadCost?.storedBytes)], 'MB'),
    of('peak memory', (system) => [megabytes(system.peakBytes)], 'MB'),
  ].filter(({ figures }) => Object.keys(figures).length > 0);
}

export function queryCharts(
  names: readonly string[],
  queries: readonly WorkloadQuery[],
  rounds: readonly Round[],
): Chart[] {
  const points = (of: (pass: Times, query: string) => number | undefined) =>
    queries.flatMap(({ name }) => {
      const samples = rounds.map(({ times }) => of(times, name)).filter((value) => value !== undefined);
      if (samples.length === 0) return [];
      const { median, min, max } = figure('', samples);
      return [{ x: name, y: median, spread: [min, max] as const }];
    });
  const [ours, ...peers] = names as [string, ...string[]];
  const times: Chart = {
    title: 'Time by query',
    x: { label: 'query', scale: 'category' },
    y: { label: 'milliseconds', scale: 'log' },
    series: names.map((name) => ({ name, points: points((pass, query) => pass.get(query)!.get(name)) })),
  };
  if (peers.length === 0) return [times];
  const ratio = (pass: Times, query: string, peer: string) => {
    const [mine, theirs] = [pass.get(query)!.get(ours), pass.get(query)!.get(peer)];
    return mine === undefined || theirs === undefined ? undefined : mine / theirs;
  };
  return [
    times,
    {
      title: `${ours} ÷ peer by query`,
      x: { label: 'query', scale: 'category' },
      y: { label: '× (below 1 is faster)', scale: 'log' },
      reference: 1,
      series: peers.map((peer, n) => ({
        name: titleOfRatio(peer),
        colour: n + 1,
        points: points((pass, query) => ratio(pass, query, peer)),
      })),
    },
  ];
}
