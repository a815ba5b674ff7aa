import { newUlid } from '@tessera/common';
import { tpch } from '@tessera/workloads';
import type { Bench, Benchmark } from '../benchmark.ts';
import { loadWorkload } from '../data/load-workload.ts';
import { WorkloadData } from '../data/workload-data.ts';
import { Connection } from '../http/connection.ts';
import { OwnCluster } from '../processes/cluster.ts';
import { DevStore } from '../processes/dev-store.ts';
import { figure, type Unit } from '../report/figure.ts';
import { powerLaw } from '../report/power-law.ts';
import type { Chart, Line } from '../report/report.ts';
import { chosenQueries, queriesText } from '../suites/chosen-queries.ts';
import { type Cost, measureCost } from './growth/measure-cost.ts';

const NODES = [1, 2, 4];
const SCALE_FACTORS = [0.1, 0.3, 1, 3];
/** The scale factors for less than the full size. */
const FEWER_SCALE_FACTORS = [0.1, 0.3, 1];
const RUNS = 3;
/** Small tablets, so that there are enough for every node. */
const TABLET_BYTES = 4_194_304;
const BYTES_PER_MB = 1e6;

/** One size of data on one size of cluster. */
interface Place extends Cost {
  readonly scaleFactor: number;
  readonly nodes: number;
  readonly storedBytes: number;
}

const QUANTITIES: readonly (readonly [title: string, unit: Unit, of: (place: Place) => number])[] = [
  ['CPU', 's', ({ cpuSeconds }) => cpuSeconds],
  ['read', 'MB', ({ readBytes }) => readBytes / BYTES_PER_MB],
  ['exchanged', 'MB', ({ exchangedBytes }) => exchangedBytes / BYTES_PER_MB],
  ['stored', 'MB', ({ storedBytes }) => storedBytes / BYTES_PER_MB],
  ['memory', 'MB', ({ peakBytes }) => peakBytes / BYTES_PER_MB],
];

/** Measures the cost of queries by the size of the data and of the cluster, and the law by which it grows. */
export const growth: Benchmark = async (bench) => {
  const { scale, options } = bench;
  const sizes = options.nodes ?? NODES;
  const most = options.scaleFactor ?? (scale < 1 ? scale : SCALE_FACTORS.at(-1)!);
  const series = scale < 1 ? FEWER_SCALE_FACTORS : SCALE_FACTORS;
  const scaleFactors = series.map((sf) => Number(((sf * most) / series.at(-1)!).toPrecision(3)));
  const runs = options.runs ?? (scale < 1 ? 1 : RUNS);
  const queries = chosenQueries(tpch, options.queries);
  const places: Place[] = [];
  for (const scaleFactor of scaleFactors)
    places.push(...(await measureSize(bench, scaleFactor, sizes, runs)));
  return {
    benchmark: 'growth',
    title: 'How cost grows',
    method: `${queriesText(queries)} of TPC-H at scale factors ${scaleFactors.join(', ')} on ${sizes.join(', ')} nodes of one thread each, all on this machine, over one object store of S3's protocol, tables in tablets of ${TABLET_BYTES / 2 ** 20} MiB at most. *CPU*: seconds of all processes of all nodes for all queries once, mean of ${runs} runs after one to warm up. *Read*: from the object store, by the first run. *Exchanged*: what stages give to others, of all queries once. *Stored*: all tables, compressed. *Memory*: the greatest that each node held, summed. The lines behind report the exponent of the power law that fits best (least squares through the logarithms): 1 is growth in proportion, 0 none; R² is the part of the differences that it explains.`,
    lines: [...places.map(placeLine), ...lawLines(places)],
    charts: [
      chart(places, 'CPU', 's', ({ cpuSeconds }) => cpuSeconds),
      chart(places, 'memory', 'MB', ({ peakBytes }) => peakBytes / BYTES_PER_MB),
    ],
  };
};

async function measureSize(
  { options, signal, progress }: Bench,
  scaleFactor: number,
  sizes: readonly number[],
  runs: number,
): Promise<Place[]> {
  const report = (doing: string) => progress(`SF ${scaleFactor}: ${doing}`);
  const data = await WorkloadData.generate(tpch, { scale: scaleFactor, progress: report });
  const queries = chosenQueries(tpch, options.queries);
  const store = await DevStore.start();
  try {
    const instanceId = newUlid();
    const storedBytes = await load(store, instanceId, data.directory, report);
    const places: Place[] = [];
    for (const nodes of sizes) {
      signal.throwIfAborted();
      report(`starting ${nodes} nodes`);
      const cluster = await OwnCluster.start({ store, instanceId, nodes, execution: { max_threads: 1 } });
      try {
        const cost = await measureCost(cluster, queries, runs, (doing) => report(`${nodes} nodes, ${doing}`));
        places.push({ ...cost, scaleFactor, nodes, storedBytes });
      } finally {
        await cluster.stop();
      }
    }
    return places;
  } finally {
    await store.stop();
    data.remove();
  }
}

/** Loads the data and returns the size of the tables in bytes. */
async function load(
  store: DevStore,
  instanceId: string,
  directory: string,
  report: (doing: string) => void,
): Promise<number> {
  const cluster = await OwnCluster.start({ store, instanceId, nodes: 1 });
  const connection = new Connection(cluster.url);
  try {
    const progress = (table: string) => report(`loading ${table}`);
    await loadWorkload(cluster.url, tpch, directory, { tabletBytes: TABLET_BYTES, progress });
    const { text } = await connection.run(
      `SELECT sum(compressed_bytes) FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    return Number(text.split('\n')[1]);
  } finally {
    await connection.close();
    await cluster.stop();
  }
}

const nodesText = (nodes: number): string => `${nodes} node${nodes === 1 ? '' : 's'}`;

const placeLine = (place: Place): Line => ({
  what: `SF ${place.scaleFactor}, ${nodesText(place.nodes)}`,
  figures: Object.fromEntries(QUANTITIES.map(([title, unit, of]) => [title, figure(unit, [of(place)])])),
});

/**
 * For each quantity, its growth with the data for each cluster size, and with the nodes for each data size.
 */
function lawLines(places: readonly Place[]): Line[] {
  const lines: Line[] = [];
  for (const [nodes, own] of Map.groupBy(places, (place) => place.nodes))
    lines.push(...lawLine(`over the data, ${nodesText(nodes)}`, own, ({ scaleFactor }) => scaleFactor));
  for (const [scaleFactor, own] of Map.groupBy(places, (place) => place.scaleFactor))
    lines.push(...lawLine(`over the nodes, SF ${scaleFactor}`, own, ({ nodes }) => nodes));
  return lines;
}

/** Undefined if there is nothing to compare; there is no power law for a quantity that is sometimes 0. */
function lawLine(what: string, places: readonly Place[], over: (place: Place) => number): Line[] {
  const laws = QUANTITIES.flatMap(([title, , of]) => {
    const law = powerLaw(places.map((place) => [over(place), of(place)] as const));
    return law === undefined ? [] : [[title, law] as const];
  });
  if (laws.length === 0) return [];
  const exponents = laws.map(([title, { exponent }]) => [title, figure('', [exponent])] as const);
  const explained = laws.map(([title, { r2 }]) => [title, figure('', [r2])] as const);
  const exponent = { what: `exponent ${what}`, figures: Object.fromEntries(exponents) };
  // A line fits any two points.
  return places.length < 3
    ? [exponent]
    : [exponent, { what: `R² ${what}`, figures: Object.fromEntries(explained) }];
}

const chart = (
  places: readonly Place[],
  title: string,
  unit: string,
  of: (place: Place) => number,
): Chart => ({
  title: `${title} over the size of the data`,
  x: { label: 'scale factor', scale: 'log' },
  y: { label: unit, scale: 'log' },
  series: [...Map.groupBy(places, ({ nodes }) => nodes)].map(([nodes, own]) => ({
    name: nodesText(nodes),
    points: own.map((place) => ({ x: place.scaleFactor, y: of(place) })),
  })),
});
