import { access, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { schemaOf } from '../generate/source.ts';
import { WorkerPool } from '../generate/worker-pool.ts';
import { ParquetFile } from '../parquet/parquet-file.ts';
import type { EncodedRowGroup } from '../parquet/row-group.ts';
import type { GenerateOptions } from '../workload.ts';
import { MAKING } from './make-rows.ts';
import { type RowCounts, rowCounts } from './row-counts.ts';
import type { RowRange } from './row-maker.ts';
import { TPCH_TABLES, type TpchTable } from './tables.ts';
import { TextPool } from './text-pool.ts';
import type { TpchAnswer, TpchTask, TpchWorkerData } from './tpch-worker.ts';

/** Writes the tables of a scale. @throws Error for an unsupported scale or table */
export async function generateTpch(options: GenerateOptions): Promise<void> {
  const { scale, threads = availableParallelism() } = options;
  const counts = rowCounts(scale);
  const tables = wantedTables(options.tables);
  await access(options.directory);
  const data: TpchWorkerData = { scale, textPool: TextPool.allocate() };
  const workers = new WorkerPool<TpchTask, TpchAnswer>(
    new URL('./tpch-worker.ts', import.meta.url),
    threads,
    data,
  );
  try {
    for await (const _ of workers.run(['text pool']));
    await writeTables(tables, counts, options, workers);
  } finally {
    await workers.stop();
  }
}

function wantedTables(names: readonly string[] | undefined): readonly TpchTable[] {
  const unknown = names?.find((name) => TPCH_TABLES.every((table) => table.name !== name));
  if (unknown !== undefined) throw new Error(`TPC-H has no table ${unknown}`);
  return TPCH_TABLES.filter(({ name }) => names?.includes(name) ?? true);
}

async function writeTables(
  tables: readonly TpchTable[],
  counts: RowCounts,
  { directory, onProgress }: GenerateOptions,
  workers: WorkerPool<TpchTask, TpchAnswer>,
): Promise<void> {
  const plans = tables.map((table) => ({ table, ranges: rangesOf(table, counts) }));
  const tasks = plans.flatMap(({ table, ranges }) => ranges.map((range) => ({ table: table.name, range })));
  const answers = workers.run(tasks);
  for (const { table, ranges } of plans) {
    const path = join(directory, `${table.name}.parquet`);
    const file = await ParquetFile.create(path, schemaOf(table));
    try {
      for (let written = 1; written <= ranges.length; written++) {
        await file.write((await answers.next()).value as EncodedRowGroup);
        onProgress?.({ table: table.name, fraction: written / ranges.length });
      }
      await file.close();
    } catch (error) {
      await file.abandon();
      await rm(path);
      throw error;
    }
  }
}

/** The row groups of a table. They do not depend on the number of threads. */
function rangesOf({ name }: TpchTable, counts: RowCounts): RowRange[] {
  const { units, unitsPerGroup } = MAKING[name];
  const total = units(counts);
  return Array.from({ length: Math.ceil(total / unitsPerGroup) }, (_, group) => {
    const first = group * unitsPerGroup;
    return { first, count: Math.min(unitsPerGroup, total - first) };
  });
}
