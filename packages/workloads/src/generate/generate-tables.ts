import { mkdtemp, rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DuckDBInstance } from '@duckdb/node-api';
import type { GenerateOptions } from '../workload.ts';
import type { PartReport, PartTask, PartWorkerData } from './part-worker.ts';
import type { SourceModule } from './source.ts';

/**
 * Writes `<table>.parquet` for each table: workers write its parts, whose bounds are the table's own and not the
 * workers', and the parts are put together in their order. What is half done is never at a table's name.
 */
export async function generateTables(
  module: string,
  tables: readonly string[],
  { scale, directory, threads, onProgress }: GenerateOptions,
): Promise<void> {
  const { openSource }: SourceModule = await import(module);
  const parts = await mkdtemp(join(directory, '.parts-'));
  try {
    const plans = tables.map((table) => planTable(table, openSource(table, scale), parts));
    const tasks = plans.flatMap((plan) => plan.tasks);
    const count = Math.min(threads ?? availableParallelism(), tasks.length);
    const made = new Map(plans.map(({ table }) => [table, 0]));
    const queue = tasks[Symbol.iterator]();
    const onUnits = (table: string, more: number): void => {
      const units = made.get(table)! + more;
      made.set(table, units);
      const of = plans.find((plan) => plan.table === table)!.units;
      onProgress?.({ table, fraction: of === 0 ? 1 : Math.min(1, units / of) });
    };
    const data: PartWorkerData = { module, scale };
    await Promise.all(Array.from({ length: count }, () => runWorker(data, queue, onUnits)));
    for (const { table, tasks } of plans) await joinParts(tasks, join(directory, `${table}.parquet`), parts);
  } finally {
    await rm(parts, { recursive: true, force: true });
  }
}

interface TablePlan {
  readonly table: string;
  readonly units: number;
  readonly tasks: readonly PartTask[];
}

function planTable(
  table: string,
  { units, unitsPerPart }: { readonly units: number; readonly unitsPerPart: number },
  directory: string,
): TablePlan {
  const count = Math.max(1, Math.ceil(units / unitsPerPart));
  const tasks = Array.from(
    { length: count },
    (_, part): PartTask => ({
      table,
      units: [part * unitsPerPart, Math.min(units, (part + 1) * unitsPerPart)],
      path: join(directory, `${table}-${part}.parquet`),
    }),
  );
  return { table, units, tasks };
}

/** One worker takes task after task until none is left. */
async function runWorker(
  workerData: PartWorkerData,
  queue: Iterator<PartTask>,
  onUnits: (table: string, units: number) => void,
): Promise<void> {
  const worker = new Worker(new URL('./part-worker.ts', import.meta.url), { workerData });
  try {
    await new Promise<void>((resolve, reject) => {
      const next = (): void => {
        const { value, done } = queue.next();
        if (done) resolve();
        else worker.postMessage(value);
      };
      worker.on('error', reject);
      worker.on('message', (report: PartReport) => {
        if ('done' in report) next();
        else onUnits(report.table, report.units);
      });
      next();
    });
  } finally {
    await worker.terminate();
  }
}

async function joinParts(tasks: readonly PartTask[], path: string, directory: string): Promise<void> {
  const joined = join(directory, 'joined.parquet');
  const quoted = (file: string): string => `'${file.replaceAll("'", "''")}'`;
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    await connection.run(
      `COPY (SELECT * FROM read_parquet([${tasks.map((task) => quoted(task.path)).join(', ')}])) TO ${quoted(joined)} (FORMAT parquet, COMPRESSION zstd)`,
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
  await rename(joined, path);
  await Promise.all(tasks.map((task) => rm(task.path)));
}
