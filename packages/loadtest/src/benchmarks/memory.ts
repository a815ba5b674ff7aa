import { setTimeout as pause } from 'node:timers/promises';
import { repeatableRows, repeatedQuery } from '../data/generated-columns.ts';
import { runDiscarding } from '../http/statement.ts';
import { upload } from '../http/upload.ts';
import { MemoryWatch } from '../processes/resident-memory.ts';
import { figure, type Target } from '../report/figure.ts';
import type { Line } from '../report/report.ts';
import type { Benchmark } from './benchmark.ts';

/** Just below the upload limit of 1 GB. */
const UPLOAD_BYTES = 990e6;
const UPLOAD_SPREAD_MS = 8_000;
const RESULT_ROWS = 20_000_000;
const BYTES_PER_MB = 1e6;
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

/** How far the node's resident memory rises above idle while uploads stream in and results stream out. */
export const memory: Benchmark = async ({ target, files, scale, progress }) => {
  if (target.pid === undefined)
    throw new Error('memory: needs a server of its own, it cannot look into the one at --url');
  const rows = await files.rowsForCsvBytes(UPLOAD_BYTES * scale);
  const resultRows = repeatableRows(RESULT_ROWS * scale);
  await runDiscarding(target.url, repeatedQuery(1000), 'JSON_Compact');
  const watch = new MemoryWatch(target.pid);
  const lines: Line[] = [];
  try {
    const idle = await idleBytes(watch);
    const above = (bytes: number, limit?: Target) => figure('MB', [(bytes - idle) / BYTES_PER_MB], limit);
    for (const [format, contentEncoding] of Object.entries(CODINGS)) {
      progress(`memory: writing ${rows} rows as ${format}`);
      const path = await files.write(format as keyof typeof CODINGS, rows);
      progress(`memory: uploading ${format}`);
      const before = await idleBytes(watch);
      let sentPeak = 0;
      const onSent = () => {
        sentPeak = watch.peakBytes;
      };
      const sql = `SELECT count(*) FROM READ_CSV('upload://data', HEADER => true)`;
      const part = { path, ...(contentEncoding && { contentEncoding }) };
      await upload(target.url, sql, part, { spreadOverMs: UPLOAD_SPREAD_MS * scale, onSent });
      lines.push({
        what: `upload, ${contentEncoding ?? 'plain'}`,
        figures: {
          before: above(before),
          'peak, upload': above(sentPeak, UPLOAD_TARGET),
          'peak, query': above(watch.peakBytes),
        },
      });
    }
    for (const format of FORMATS) {
      progress(`memory: ${resultRows} rows as ${format}`);
      const before = await idleBytes(watch);
      await runDiscarding(target.url, repeatedQuery(resultRows), format);
      lines.push({
        what: `result, ${format}`,
        figures: { before: above(before), 'peak, query': above(watch.peakBytes, RESULT_TARGET) },
      });
    }
    return {
      benchmark: 'memory',
      title: 'Memory',
      method: `Resident memory of the node process and its kernel process together, sampled every 50 ms, above what they held idle at first (${Math.round(idle / BYTES_PER_MB)} MB). A CSV file of ${Math.round((UPLOAD_BYTES * scale) / BYTES_PER_MB)} MB (decoded) streams in over ${(UPLOAD_SPREAD_MS * scale) / 1000} s or more and is counted; ${resultRows.toLocaleString('en-US')} rows × 10 columns stream out in each format. “before” is what the earlier cases left.`,
      lines,
    };
  } finally {
    await watch.stop();
  }
};

const SETTLED_BYTES = 2e6;
const SETTLE_INTERVAL_MS = 500;
const SETTLE_TRIES = 10;

/** Resident memory once it no longer falls; restarts the watch there. */
async function idleBytes(watch: MemoryWatch): Promise<number> {
  watch.restart();
  for (let tries = 0; tries < SETTLE_TRIES; tries++) {
    const last = watch.peakBytes;
    await pause(SETTLE_INTERVAL_MS);
    watch.restart();
    if (last - watch.peakBytes < SETTLED_BYTES) break;
  }
  return watch.peakBytes;
}
