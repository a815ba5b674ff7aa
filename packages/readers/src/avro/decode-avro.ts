import {
  BATCH_BYTES,
  BATCH_ROWS,
  type ColumnBatch,
  type DecodedFile,
  DecodeError,
} from '../columns/column-batch.ts';
import { MemoryBudget } from '../columns/memory-budget.ts';
import type { AvroColumn } from './avro-column.ts';
import { schemaColumns } from './columns.ts';
import { type Block, inBlock, readBlocks, readHeader } from './container.ts';
import { Cursor } from './cursor.ts';
import { MAX_BATCH_MEMORY_BYTES, MAX_ZERO_WIDTH_VALUES } from './limits.ts';
import { SequentialFile } from './sequential-file.ts';

/** The number of rows and input bytes after which the size of the growing batch is checked. */
const CHECK_ROWS = 64;
const CHECK_BYTES = 1 << 20;

/** Opens an Avro container file. Throws DecodeError or UnsupportedError, also while batches are read. */
export async function decodeAvro(path: string): Promise<DecodedFile> {
  const file = new SequentialFile(path);
  try {
    const header = await readHeader(file);
    const { names, columns } = schemaColumns(header.schema, new MemoryBudget(MAX_BATCH_MEMORY_BYTES));
    return {
      fields: columns.map((column, index) => ({ name: names[index]!, type: column.builder.type })),
      batches: closing(file, toBatches(readBlocks(file, header), columns)),
    };
  } catch (error) {
    file.close();
    throw error;
  }
}

async function* closing(
  file: SequentialFile,
  batches: AsyncIterable<ColumnBatch>,
): AsyncGenerator<ColumnBatch> {
  try {
    yield* batches;
  } finally {
    file.close();
  }
}

/** Joins small blocks into one batch and splits large ones into several. */
async function* toBatches(
  blocks: AsyncIterable<Block>,
  columns: readonly AvroColumn[],
): AsyncGenerator<ColumnBatch> {
  const rowBytes = columns.reduce((sum, column) => sum + column.minBytes, 0);
  let zeroWidthRows = 0;
  let rows = 0;
  for await (const block of blocks) {
    const cursor = new Cursor(block.data);
    let row = 0;
    try {
      if (rowBytes === 0) zeroWidthRows += block.rows;
      if (block.rows * rowBytes > block.data.length || zeroWidthRows > MAX_ZERO_WIDTH_VALUES) {
        throw new DecodeError(`it claims ${block.rows} rows, more than it can hold`);
      }
      while (row < block.rows) {
        const count = Math.min(CHECK_ROWS, block.rows - row, BATCH_ROWS - rows);
        const read = readRows(cursor, columns, count);
        row += read;
        rows += read;
        if (rows < BATCH_ROWS && usedBytes(columns) < BATCH_BYTES) continue;
        yield finish(columns, rows);
        rows = 0;
      }
      if (cursor.remaining > 0)
        throw new DecodeError(`${cursor.remaining} bytes are left after its last row`);
    } catch (error) {
      throw inBlock(error, block.number, block.start);
    }
  }
  if (rows > 0) yield finish(columns, rows);
}

/** Reads up to `count` rows, fewer if they are large. */
function readRows(cursor: Cursor, columns: readonly AvroColumn[], count: number): number {
  const until = cursor.position + CHECK_BYTES;
  let read = 0;
  while (read < count && cursor.position < until) {
    for (let i = 0; i < columns.length; i++) columns[i]!.read(cursor);
    cursor.checkEnd();
    read++;
  }
  return read;
}

function usedBytes(columns: readonly AvroColumn[]): number {
  return columns.reduce((sum, column) => sum + column.builder.usedBytes(), 0);
}

function finish(columns: readonly AvroColumn[], rows: number): ColumnBatch {
  return { rows, columns: columns.map((column) => column.builder.finish()) };
}
