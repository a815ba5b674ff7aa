import { parentPort, workerData } from 'node:worker_threads';
import { schemaOf } from '../generate/source.ts';
import { type EncodedRowGroup, encodeRowGroup } from '../parquet/row-group.ts';
import { MAKING } from './make-rows.ts';
import { rowCounts } from './row-counts.ts';
import type { RowRange } from './row-maker.ts';
import { TPCH_TABLES, type TpchTableName } from './tables.ts';
import { TextPool } from './text-pool.ts';

export interface TpchWorkerData {
  readonly scale: number;
  readonly textPool: SharedArrayBuffer;
}

/** The requested row group, or a request for the text pool. */
export type TpchTask = 'text pool' | { readonly table: TpchTableName; readonly range: RowRange };

/** A row group, or undefined for the text pool. */
export type TpchAnswer = EncodedRowGroup | undefined;

const { scale, textPool }: TpchWorkerData = workerData;
const schemas = new Map(TPCH_TABLES.map((table) => [table.name, schemaOf(table)]));
const making = { counts: rowCounts(scale), textPool: new TextPool(textPool) };

parentPort!.on('message', (task: TpchTask) => {
  if (task === 'text pool') {
    making.textPool.fill();
    parentPort!.postMessage(undefined);
    return;
  }
  const group = encodeRowGroup(schemas.get(task.table)!, MAKING[task.table].make(making, task.range));
  parentPort!.postMessage(group, [group.bytes.buffer]);
});
