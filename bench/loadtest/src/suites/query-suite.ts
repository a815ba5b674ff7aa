import type { Workload, WorkloadQuery } from '@tessera/workloads';
import type { Bench, Benchmark } from '../benchmark.ts';
import { WorkloadData } from '../data/workload-data.ts';
import { ApiPeer } from '../peers/api-peer.ts';
import { startPeers } from '../peers/peers.ts';
import type { BenchmarkResult } from '../report/report.ts';
import { chosenQueries, queriesText } from './chosen-queries.ts';
import { measuredRounds } from './measured-rounds.ts';
import { MeasuredSystem } from './measured-system.ts';
import { costLines, queryCharts, queryLines, repeatedLines, type SuiteTargets } from './suite-lines.ts';

export interface QuerySuite {
  readonly workload: Workload;
  /** The default scale factor at scale 1. */
  readonly scaleFactor: number;
  /** If set, queries are also repeated with results reused. */
  readonly repeats?: boolean;
  readonly targets?: SuiteTargets;
}

const RUNS = 3;
/** A query that takes longer on a system is not repeated there. */
const QUERY_LIMIT_MS = 60_000;

/** The queries of a workload over managed tables, in comparison with peers that hold the same rows. */
export const querySuite =
  ({ workload, scaleFactor, repeats = false, targets = {} }: QuerySuite): Benchmark =>
  async (bench) => {
    const scale = bench.options.scaleFactor ?? scaleFactor * bench.scale;
    const queries = chosenQueries(workload, bench.options.queries);
    const data = await WorkloadData.generate(workload, { scale, progress: bench.progress });
    const systems: MeasuredSystem[] = [];
    try {
      systems.push(...(await startSystems(bench)));
      const problems = await loadAll(systems, workload, data.directory, bench);
      return await measured({ bench, workload, queries, systems, scale, problems, repeats, targets });
    } finally {
      await Promise.all(systems.map((system) => system.stop()));
      data.remove();
    }
  };

/** The systems, ours first. */
async function startSystems({ options, target, progress }: Bench): Promise<MeasuredSystem[]> {
  const ours =
    options.url === undefined ? await ApiPeer.start() : await ApiPeer.over('Tessera', await target());
  try {
    return [ours, ...(await startPeers(options, progress))].map((peer) => new MeasuredSystem(peer));
  } catch (error) {
    await ours.stop();
    throw error;
  }
}

/** Removes peers that cannot load from `systems`, and returns the reasons. @throws Error of our own system */
async function loadAll(
  systems: MeasuredSystem[],
  workload: Workload,
  directory: string,
  { progress, signal }: Bench,
): Promise<string[]> {
  const problems: string[] = [];
  for (const system of [...systems]) {
    signal.throwIfAborted();
    const { name } = system.peer;
    try {
      await system.load(workload, directory, (table) => progress(`loading ${table} into ${name}`));
    } catch (error) {
      if (system === systems[0]) throw error;
      problems.push(`${name} did not load the tables: ${(error as Error).message}`);
      systems.splice(systems.indexOf(system), 1);
      await system.stop();
    }
  }
  return problems;
}

interface Prepared {
  readonly bench: Bench;
  readonly workload: Workload;
  readonly queries: readonly WorkloadQuery[];
  readonly systems: readonly MeasuredSystem[];
  readonly scale: number;
  readonly problems: readonly string[];
  readonly repeats: boolean;
  readonly targets: SuiteTargets;
}

async function measured(prepared: Prepared): Promise<BenchmarkResult> {
  const { bench, workload, queries, systems, scale, repeats, targets } = prepared;
  const runs = bench.options.runs ?? RUNS;
  const plan = { queries, systems, runs, limitMs: QUERY_LIMIT_MS, repeats };
  const { first, rounds, repeated, problems, notes } = await measuredRounds(plan, bench);
  const names = systems.map(({ peer }) => peer.name);
  const versions = systems.map(({ peer }) => `${peer.name} (${peer.version})`);
  return {
    benchmark: workload.name,
    title: `${workload.title} on managed tables`,
    method: `${queriesText(queries)} at scale ${scale} (1 is ${workload.scaleUnit}), each system over tables of its own with the same generated rows: ${versions.join(', ')}. *First run*: one pass just after the systems that keep tables were started again, nothing in their memory (files are in the system's cache). *Later runs*: query by query, the systems in turn, another one first each time; ${rounds.length} rounds after one to warm up, in which answers are compared. The *geometric mean* is of the ratios by query, and sums are over the queries that both systems answered. CPU seconds are of the process and its children (\`/proc/<pid>/stat\`); results are computed every time (\`enable_result_cache\` and \`enable_subresult_cache\` are false)${repeated.length === 0 ? '' : ', except for *repeated* runs, after the others: their ratios are to the later runs of the others'}; memory is their greatest resident size over loading and running.`,
    lines: [
      ...queryLines(names, queries, first, rounds, targets),
      ...(repeats ? repeatedLines(names, rounds, repeated, targets.repeated) : []),
      ...costLines(systems, rounds),
    ],
    charts: queryCharts(names, queries, rounds),
    problems: [...prepared.problems, ...problems],
    notes,
  };
}
