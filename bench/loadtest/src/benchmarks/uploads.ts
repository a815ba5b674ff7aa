import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, Benchmark } from '../benchmark.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { LoopResult } from '../load/loop-result.ts';
import { MemoryWatch } from '../processes/resident-memory.ts';
import { startTessera } from '../processes/tessera.ts';
import { figure } from '../report/figure.ts';
import type { Chart, Line } from '../report/report.ts';
import { loadFigures } from './point-load/level.ts';
import type { UploadKind, UploadsParameters } from './uploads/parameters.ts';

const PROGRAM = join(import.meta.dirname, 'uploads/uploads-process.ts');
const CSV_BYTES = 40e6;
const LEAST_BYTES = 200e3;
const UPLOADS = [1, 4, 16];
const MEASURED_MS = 10_000;
const WARM_UP_MS = 1_000;
const LEAST_MS = 500;
const RUNS = 3;
const BYTES_PER_MB = 1e6;

const FORMATS = [
  ['CSV', 'csv', undefined, 'READ_CSV'],
  ['CSV, gzip', 'csv.gz', 'gzip', 'READ_CSV'],
  ['CSV, zstd', 'csv.zst', 'zstd', 'READ_CSV'],
  ['Parquet', 'parquet', undefined, 'READ_PARQUET'],
] as const;

interface Measured {
  readonly kind: UploadKind;
  readonly uploads: number;
  readonly results: LoopResult[];
  readonly peaks: number[];
}

/** Files that many clients upload concurrently and that are aggregated on arrival. */
export const uploads: Benchmark = async (bench) => {
  const { files, scale, options, progress } = bench;
  const rows = await files.rowsForCsvBytes(Math.max(LEAST_BYTES, CSV_BYTES * scale));
  const runs = options.runs ?? (scale < 1 ? 1 : RUNS);
  const kinds = await uploadKinds(bench, rows);
  const sizes = new Map<UploadKind, number>();
  for (const kind of kinds) sizes.set(kind, (await stat(kind.part.path)).size);
  const warmUpMs = Math.max(LEAST_MS, WARM_UP_MS * scale);
  const measuredMs = Math.max(LEAST_MS, MEASURED_MS * scale);
  const node = await startTessera();
  const client = new LoadProcess<UploadsParameters>(PROGRAM);
  const watch = new MemoryWatch(node.pid!);
  try {
    const measured: Measured[] = [];
    for (const kind of kinds) {
      for (const connections of UPLOADS) {
        const one: Measured = { kind, uploads: connections, results: [], peaks: [] };
        for (let run = 0; run < runs; run++) {
          progress(`${kind.name}, ${connections} at once, run ${run + 1}`);
          watch.restart();
          const paces = { [kind.name]: { connections } };
          const { results } = await client.run({ url: node.url, kinds }, { paces, warmUpMs, measuredMs });
          one.results.push(results.get(kind.name)!);
          one.peaks.push(watch.peakBytes);
        }
        measured.push(one);
      }
    }
    for (const { kind, results } of measured)
      if (results.some(({ failures }) => failures.has('wrong answer')))
        throw new Error(`${kind.name}: an answer was wrong`);
    return {
      benchmark: 'uploads',
      title: 'Uploads at the same time',
      method: `Each connection posts a file of ${rows.toLocaleString('en-US')} rows × 10 columns (as CSV ${(sizes.get(kinds[0]!)! / BYTES_PER_MB).toFixed(1)} MB), which is counted and summed up, and posts it again when it has the answer, which is checked; ${runs} runs of ${measuredMs / 1_000} s. *MB/s* is of bytes on the wire, *as CSV* what they come to unpacked. Memory is the most that the node and its kernel processes held at once.`,
      lines: measured.map((one) => lineOf(one, sizes.get(one.kind)!, sizes.get(kinds[0]!)!)),
      charts: [chart(measured, sizes.get(kinds[0]!)!)],
    };
  } finally {
    await watch.stop();
    await client.stop();
    await node.stop();
  }
};

async function uploadKinds({ files, duckdb }: Bench, rows: number): Promise<UploadKind[]> {
  const kinds: UploadKind[] = [];
  for (const [name, format, contentEncoding, read] of FORMATS) {
    const path = await files.write(format, rows);
    const options = read === 'READ_CSV' ? ', HEADER => true, INFER_SCHEMA => true' : '';
    const sql = `SELECT count(*), sum(customer), max(id) FROM ${read}('upload://data'${options})`;
    const { values } = await duckdb.fetch(`SELECT count(*), sum(customer), max(id) FROM '${path}'`);
    const part = { path, ...(contentEncoding && { contentEncoding }) };
    kinds.push({ name, part, sql, answer: values[0]!.join('\t') });
  }
  return kinds;
}

function lineOf({ kind, uploads: at, results, peaks }: Measured, bytes: number, csvBytes: number): Line {
  const megabytes = (size: number) =>
    figure(
      'MB/s',
      results.map(({ perSecond }) => (perSecond * size) / BYTES_PER_MB),
    );
  return {
    what: `${kind.name}, ${at} at once`,
    figures: {
      'on the wire': megabytes(bytes),
      'as CSV': megabytes(csvBytes),
      ...loadFigures(results),
      memory: figure(
        'MB',
        peaks.map((peak) => peak / BYTES_PER_MB),
      ),
    },
  };
}

const chart = (measured: readonly Measured[], csvBytes: number): Chart => ({
  title: 'Rows that come in, as MB of CSV a second',
  x: { label: 'uploads at once', scale: 'category' },
  y: { label: 'MB/s', scale: 'linear' },
  series: [...Map.groupBy(measured, ({ kind }) => kind.name)].map(([name, own]) => ({
    name,
    points: own.map(({ uploads: at, results }) => {
      const { median, min, max } = figure(
        'MB/s',
        results.map(({ perSecond }) => (perSecond * csvBytes) / BYTES_PER_MB),
      );
      return { x: String(at), y: median, spread: [min, max] as const };
    }),
  })),
});
