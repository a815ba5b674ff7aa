import { parentPort, workerData } from 'node:worker_threads';
import { type ColumnChunk, encodeColumn } from '../parquet/column-chunk.ts';
import { ColumnBuilder } from './column-builder.ts';
import type { SourceModule, TableSource } from './source.ts';

export interface TableWorkerData {
  /** URL of the module that exports `openSource`. */
  readonly module: string;
  readonly scale: number;
}

/** A row group of a table: the units from the first number to the second, which is not among them. */
export interface GroupTask {
  readonly table: string;
  readonly units: readonly [from: number, to: number];
}

const { module, scale }: TableWorkerData = workerData;
const { openSource }: SourceModule = await import(module);
const sources = new Map<string, TableSource>();

parentPort!.on('message', ({ table, units }: GroupTask) => {
  const source = sources.get(table) ?? openSource(table, scale);
  sources.set(table, source);
  const chunks = groupOf(source, units);
  const buffers = chunks.flatMap((chunk) => chunk.bytes.map((bytes) => bytes.buffer));
  parentPort!.postMessage(chunks, buffers);
});

function groupOf(source: TableSource, [from, to]: GroupTask['units']): readonly ColumnChunk[] {
  const builders = source.columns.map((column) => new ColumnBuilder(column));
  for (let unit = from; unit < to; unit++)
    source.rows(unit, (row) => {
      for (let column = 0; column < builders.length; column++) builders[column]!.add(row[column]!);
    });
  return builders.map((builder) => encodeColumn(builder.column()));
}
