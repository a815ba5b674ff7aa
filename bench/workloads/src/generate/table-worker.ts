import { parentPort, workerData } from 'node:worker_threads';
import { type EncodedRowGroup, encodeRowGroup } from '../parquet/row-group.ts';
import { ColumnBuilder } from './column-builder.ts';
import { type SourceModule, schemaOf, type TableSource } from './source.ts';

export interface TableWorkerData {
  /** The URL of the module that exports `openSource`. */
  readonly module: string;
  readonly scale: number;
}

/** A row group of a table: the units from the first number (inclusive) to the second (exclusive). */
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
  const group = groupOf(source, units);
  parentPort!.postMessage(group, [group.bytes.buffer]);
});

function groupOf(source: TableSource, [from, to]: GroupTask['units']): EncodedRowGroup {
  const builders = source.columns.map((column) => new ColumnBuilder(column));
  for (let unit = from; unit < to; unit++)
    source.rows(unit, (row) => {
      for (let column = 0; column < builders.length; column++) builders[column]!.add(row[column]!);
    });
  return encodeRowGroup(
    schemaOf(source),
    builders.map((builder) => builder.column()),
  );
}
