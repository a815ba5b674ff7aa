import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Benchmark } from '../benchmark.ts';
import { repeatableRows, repeatedQuery } from '../data/generated-columns.ts';
import { runDiscarding } from '../http/statement.ts';
import { upload } from '../http/upload.ts';
import { installPackage } from '../processes/installed-package.ts';
import { MemoryWatch } from '../processes/resident-memory.ts';
import { type OwnNode, type StartOptions, startTessera } from '../processes/tessera.ts';
import { figure } from '../report/figure.ts';
import type { Line } from '../report/report.ts';

/** Just below the upload limit of 1 GB. */
const UPLOAD_BYTES = 990e6;
const UPLOAD_SPREAD_MS = 8_000;
const RESULT_ROWS = 20_000_000;
const BYTES_PER_MB = 1e6;
const WARM_UP_ROWS = 1_000;
const COUNT = `SELECT count(*) FROM READ_CSV('upload://data', HEADER => true)`;
const IDLE_TARGET = { at: 'most', value: 250 } as const;
const UPLOAD_TARGET = { at: 'most', value: 150 } as const;
const RESULT_TARGET = { at: 'most', value: 200 } as const;

const CODINGS = { csv: undefined, 'csv.gz': 'gzip', 'csv.zst': 'zstd' } as const;
const FORMATS = [
  'TabSeparatedWithNamesAndTypes',
  'TabSeparatedWithNames',
  'CSVWithNames',
  'JSON',
  'JSON_Compact',
  'JSONLines_Compact',
  'PSQL',
  'Vertical',
  'ArrowStream',
  'Parquet',
];

/** One case: its name, and its work on a server whose memory is watched. */
interface Case {
  readonly what: string;
  /** Resolves with the peak while the upload was received, if there was one. */
  work(url: string, watch: MemoryWatch): Promise<number | undefined>;
}

/** Measures how far a node's resident memory rises above idle while uploads and results are streamed. */
export const memory: Benchmark = async ({ files, scale, progress }) => {
  const uploadRows = await files.rowsForCsvBytes(UPLOAD_BYTES * scale);
  const resultRows = repeatableRows(RESULT_ROWS * scale);
  const uploads = Object.entries(CODINGS).map(([format, contentEncoding]): Case => {
    const work: Case['work'] = async (url, watch) => {
      const path = await files.write(format as keyof typeof CODINGS, uploadRows);
      const part = { path, ...(contentEncoding && { contentEncoding }) };
      let sentPeak = 0;
      const onSent = () => {
        sentPeak = watch.peakBytes;
      };
      await upload(url, COUNT, part, { spreadOverMs: UPLOAD_SPREAD_MS * scale, onSent });
      return sentPeak;
    };
    return { what: `upload, ${contentEncoding ?? 'plain'}`, work };
  });
  const results = FORMATS.map((format): Case => {
    const work: Case['work'] = async (url) => {
      await runDiscarding(url, repeatedQuery(resultRows), format);
      return undefined;
    };
    return { what: `result, ${format}`, work };
  });
  const lines: Line[] = [];
  const directory = await mkdtemp(join(tmpdir(), 'tessera-loadtest-memory-'));
  try {
    progress('memory: installing the npm package');
    const program = installPackage(directory);
    for (const one of [...uploads, ...results]) {
      progress(`memory: ${one.what}`);
      lines.push(await measure(one, program));
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  progress('memory: from a checkout');
  const idle = await withNode({}, (_, idleBytes) => Promise.resolve(idleBytes / BYTES_PER_MB));
  lines.push({ what: 'from a checkout', figures: { idle: figure('MB', [idle]) } });
  return {
    benchmark: 'memory',
    title: 'Memory',
    method: `Resident memory of all processes of a node, sampled every 50 ms; what they share (the program, the kernel's library) counts once; each case at a node of the npm package that is started for it (*from a checkout*: a node that runs the sources, whose types it strips when it starts). Idle is after a first small query; the peaks are above idle. A CSV file of ${Math.round((UPLOAD_BYTES * scale) / BYTES_PER_MB)} MB (decoded) streams in over ${(UPLOAD_SPREAD_MS * scale) / 1000} s or more, then its rows are counted; ${resultRows.toLocaleString('en-US')} rows × 10 columns stream out in each format.`,
    lines,
  };
};

function measure({ what, work }: Case, program: string): Promise<Line> {
  return withNode({ program }, async ({ url }, idle, watch) => {
    const uploadPeak = await work(url, watch);
    const above = (bytes: number) => (bytes - idle) / BYTES_PER_MB;
    const whole = figure(
      'MB',
      [above(watch.peakBytes)],
      uploadPeak === undefined ? RESULT_TARGET : undefined,
    );
    return {
      what,
      figures: {
        idle: figure('MB', [idle / BYTES_PER_MB], IDLE_TARGET),
        ...(uploadPeak !== undefined && {
          'while uploading': figure('MB', [above(uploadPeak)], UPLOAD_TARGET),
        }),
        'in all': whole,
      },
    };
  });
}

/** Starts a node for `work`, and measures how much memory it has when it is idle. */
async function withNode<T>(
  options: StartOptions,
  work: (node: OwnNode, idleBytes: number, watch: MemoryWatch) => Promise<T>,
): Promise<T> {
  const node = await startTessera(options);
  const watch = new MemoryWatch(node.pid!);
  try {
    return await work(node, await idleBytes(node, watch), watch);
  } finally {
    await watch.stop();
    await node.stop();
  }
}

const SETTLED_BYTES = 2e6;
const SETTLE_INTERVAL_MS = 500;
const SETTLE_TRIES = 10;

/** The resident memory after a small query once it no longer falls; restarts the watch there. */
async function idleBytes({ url }: OwnNode, watch: MemoryWatch): Promise<number> {
  await runDiscarding(url, repeatedQuery(WARM_UP_ROWS), 'JSON_Compact');
  watch.restart();
  for (let tries = 0; tries < SETTLE_TRIES; tries++) {
    const last = watch.peakBytes;
    await pause(SETTLE_INTERVAL_MS);
    watch.restart();
    if (last - watch.peakBytes < SETTLED_BYTES) break;
  }
  return watch.peakBytes;
}
