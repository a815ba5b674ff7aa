import { rm } from 'node:fs/promises';
import { tpch } from '@tessera/workloads';
import type { Benchmark } from '../benchmark.ts';
import { createTable } from '../data/load-workload.ts';
import { WorkloadData } from '../data/workload-data.ts';
import { Connection } from '../http/connection.ts';
import { upload } from '../http/upload.ts';
import { startTessera } from '../processes/tessera.ts';
import { figure } from '../report/figure.ts';

const RUNS = 3;
const TARGET = { at: 'most', value: 1.2 } as const;

/**
 * Loads lineitem from an uploaded Parquet file, compared with plain DuckDB writing a sorted zstd Parquet
 * file.
 */
export const insert: Benchmark = async ({ duckdb, scale, options, progress }) => {
  const scaleFactor = options.scaleFactor ?? scale;
  const data = await WorkloadData.generate(tpch, { scale: scaleFactor, tables: ['lineitem'], progress });
  const node = await startTessera();
  const connection = new Connection(node.url);
  const lineitem = tpch.tables.find((table) => table.name === 'lineitem')!;
  const source = data.file('lineitem');
  const target = `${source}.sorted`;
  const samples: { ours: number; theirs: number }[] = [];
  try {
    for (let run = 0; run <= (options.runs ?? RUNS); run++) {
      progress(`insert: run ${run}`);
      const theirs = await duckdb.run(
        `COPY (FROM '${source}' ORDER BY l_orderkey) TO '${target}' (FORMAT parquet, COMPRESSION zstd)`,
      );
      await rm(target, { force: true });
      await connection.run(createTable(lineitem));
      const ours = await upload(
        node.url,
        `INSERT INTO lineitem SELECT * FROM READ_PARQUET('upload://data')`,
        {
          path: source,
        },
      );
      await connection.run('DROP TABLE lineitem');
      // The first run warms up both systems.
      if (run > 0) samples.push({ ours: ours.milliseconds, theirs: theirs.milliseconds });
    }
  } finally {
    await connection.close();
    await node.stop();
    data.remove();
  }
  return {
    benchmark: 'insert',
    title: 'INSERT from an uploaded Parquet file',
    method: `lineitem of TPC-H at scale factor ${data.scale} (a zstd Parquet file), uploaded and inserted into an empty table with PRIMARY INDEX l_orderkey, on the local store; the time holds the upload, the sort, writing, checksums and the durable commit. Beside it, in turn: plain DuckDB, COPY (FROM file ORDER BY l_orderkey) TO a zstd Parquet file.`,
    lines: [
      {
        what: 'lineitem',
        figures: {
          Tessera: figure(
            's',
            samples.map((s) => s.ours / 1000),
          ),
          'plain DuckDB': figure(
            's',
            samples.map((s) => s.theirs / 1000),
          ),
          ratio: figure(
            '×',
            samples.map((s) => s.ours / s.theirs),
            TARGET,
          ),
        },
      },
    ],
  };
};
