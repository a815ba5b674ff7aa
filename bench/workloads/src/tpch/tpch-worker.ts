import { parentPort, workerData } from 'node:worker_threads';
import { type ColumnChunk, encodeColumn } from '../parquet/column-chunk.ts';
import { MAKING } from './make-rows.ts';
import { rowCounts } from './row-counts.ts';
import type { RowRange } from './row-maker.ts';
import type { TpchTableName } from './tables.ts';
import { TextPool } from './text-pool.ts';

export interface TpchWorkerData {
  readonly scale: number;
  readonly textPool: SharedArrayBuffer;
}

/** The row group that is wanted, or the text pool. */
export type TpchTask = 'text pool' | { readonly table: TpchTableName; readonly range: RowRange };

/** Of the text pool none. */
export type TpchAnswer = readonly ColumnChunk[];

const { scale, textPool }: TpchWorkerData = workerData;
const making = { counts: rowCounts(scale), textPool: new TextPool(textPool) };

parentPort!.on('message', (task: TpchTask) => {
  if (task === 'text pool') {
    making.textPool.fill();
    answer([]);
  } else answer(MAKING[task.table].make(making, task.range).map(encodeColumn));
});

function answer(chunks: TpchAnswer): void {
  const buffers = chunks.flatMap((chunk) => chunk.bytes.map((bytes) => bytes.buffer));
  parentPort!.postMessage(chunks, buffers);
}
