import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ParquetFile } from '../parquet/parquet-file.ts';
import type { EncodedRowGroup } from '../parquet/row-group.ts';
import type { GenerateOptions } from '../workload.ts';
import { type SourceModule, schemaOf, type TableSource } from './source.ts';
import type { GroupTask, TableWorkerData } from './table-worker.ts';
import { WorkerPool } from './worker-pool.ts';

/**
 * Writes `<table>.parquet` for each table; workers create its row groups. After a failure, no file of the
 * table remains.
 */
export async function generateTables(
  module: string,
  tables: readonly string[],
  { scale, directory, threads, onProgress }: GenerateOptions,
): Promise<void> {
  const { openSource }: SourceModule = await import(module);
  const plans = tables.map((table) => planOf(table, openSource(table, scale)));
  const tasks = plans.flatMap((plan) => plan.tasks);
  const data: TableWorkerData = { module, scale };
  const workers = new WorkerPool<GroupTask, EncodedRowGroup>(
    new URL('./table-worker.ts', import.meta.url),
    Math.min(threads ?? availableParallelism(), tasks.length),
    data,
  );
  try {
    const groups = workers.run(tasks);
    for (const plan of plans) {
      const report = (written: number): void =>
        onProgress?.({ table: plan.table, fraction: written / plan.tasks.length });
      await writeTable(plan, join(directory, `${plan.table}.parquet`), groups, report);
    }
  } finally {
    await workers.stop();
  }
}

interface TablePlan {
  readonly table: string;
  readonly source: TableSource;
  readonly tasks: readonly GroupTask[];
}

function planOf(table: string, source: TableSource): TablePlan {
  const { units, unitsPerGroup } = source;
  const tasks = Array.from({ length: Math.ceil(units / unitsPerGroup) }, (_, group): GroupTask => {
    const from = group * unitsPerGroup;
    return { table, units: [from, Math.min(units, from + unitsPerGroup)] };
  });
  return { table, source, tasks };
}

async function writeTable(
  { source, tasks }: TablePlan,
  path: string,
  groups: AsyncGenerator<EncodedRowGroup>,
  report: (written: number) => void,
): Promise<void> {
  const file = await ParquetFile.create(path, schemaOf(source));
  try {
    for (let written = 1; written <= tasks.length; written++) {
      await file.write((await groups.next()).value!);
      report(written);
    }
    await file.close();
  } catch (error) {
    await file.abandon();
    await rm(path);
    throw error;
  }
}
