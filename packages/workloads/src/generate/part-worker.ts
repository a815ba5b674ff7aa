import { parentPort, workerData } from 'node:worker_threads';
import type { SourceModule, TableSource } from './source.ts';
import { writePart } from './write-part.ts';

export interface PartWorkerData {
  /** URL of the module that exports `openSource`. */
  readonly module: string;
  readonly scale: number;
}

export interface PartTask {
  readonly table: string;
  readonly units: readonly [number, number];
  readonly path: string;
}

export type PartReport = { readonly table: string; readonly units: number } | { readonly done: true };

const REPORT_UNITS = 50_000;
const { module, scale }: PartWorkerData = workerData;
const { openSource }: SourceModule = await import(module);
const sources = new Map<string, TableSource>();

parentPort!.on('message', async ({ table, units, path }: PartTask) => {
  const source = sources.get(table) ?? openSource(table, scale);
  sources.set(table, source);
  let made = 0;
  await writePart(source, units, path, (more) => {
    made += more;
    if (made < REPORT_UNITS) return;
    report({ table, units: made });
    made = 0;
  });
  report({ table, units: made });
  report({ done: true });
});

function report(message: PartReport): void {
  parentPort!.postMessage(message);
}
