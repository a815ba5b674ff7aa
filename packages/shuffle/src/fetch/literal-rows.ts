import { RowBlock } from '@tessera/kernel';
import { aligned, isIntact, readInline } from '../outputs/inline-rows.ts';
import { columnCount, columnName, storedType } from '../outputs/output-sql.ts';
import type { OutputShape, ShuffleBlock } from '../shuffle.ts';
import type { FetchedRows } from './receive-blocks.ts';

/** More values cost more as a text, which is parsed and planned for each task, than as received rows. */
const MAX_VALUES = 64;
const MAX_BYTES = 4 << 10;

/**
 * The rows of blocks as literals, in their transfer encoding; undefined if they did not all come with the task, if they are
 * many, or if a value has no literal.
 */
export function literalRows(
  blocks: readonly ShuffleBlock[],
  shape: OutputShape,
  isOwn: (block: ShuffleBlock) => boolean,
): Pick<FetchedRows, 'sql' | 'rows' | 'bytes' | 'spilledBytes'> | undefined {
  const columns = columnCount(shape);
  const inBatches = blocks.reduce(
    (sum, { inline }) => sum + (inline?.batch.length ?? Number.POSITIVE_INFINITY),
    0,
  );
  if (inBatches > MAX_BYTES) return undefined;
  for (let i = 0; i < columns; i++) if (storedType(shape, i) === undefined) return undefined;
  const rows: string[] = [];
  let bytes = 0;
  for (const block of blocks) {
    const inline = block.inline!;
    if (!isIntact(inline)) return undefined;
    const before = rows.length;
    for (const part of readInline(inline, block)) {
      if (part instanceof Uint8Array) continue;
      if ((rows.length + part.rows) * columns > MAX_VALUES) return undefined;
      const values = literalsOf(new RowBlock(inline.schema, aligned(part.ipc)), columns);
      if (values === undefined) return undefined;
      for (let row = 0; row < part.rows; row++) rows.push(`(${values.map((of) => of[row]).join(', ')})`);
      if (!isOwn(block)) bytes += part.ipc.length;
    }
    // Fetching finds out what is wrong with it.
    if (block.rows !== undefined && block.slice === undefined && block.rows !== rows.length - before)
      return undefined;
  }
  if (rows.length === 0) return undefined;
  const names = Array.from({ length: columns }, (_, i) => columnName(i)).join(', ');
  return {
    sql: `(VALUES ${rows.join(', ')}) AS literal(${names})`,
    rows: rows.length,
    bytes,
    spilledBytes: 0,
  };
}

function literalsOf(block: RowBlock, columns: number): (readonly string[])[] | undefined {
  const values: (readonly string[])[] = [];
  for (let i = 0; i < columns; i++) {
    const literals = block.literals(i);
    if (literals === undefined) return undefined;
    values.push(literals);
  }
  return values;
}
