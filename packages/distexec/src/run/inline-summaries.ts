import { RowBlock } from '@tessera/kernel';
import type { InlineRows } from '@tessera/shuffle';
import type { KeySummary, Task } from '../dist-exec.ts';

/** With more distinct values than this, they are not listed. */
export const MAX_VALUES = 1_000;

const INTEGER = /^U?(TINY|SMALL|BIG)?INT(EGER)?$/i;

/**
 * The summaries of the rows of a small output: what `keySummaries` returns for them, without a statement. Undefined if a
 * column is not of integers, whose texts only the kernel knows, or if a filter is needed.
 */
export function inlineSummaries(
  { schema, batch }: InlineRows,
  { columns, summarised, filterKeys = [] }: Task['output'],
): KeySummary[] | undefined {
  if (filterKeys.length > 0 || !summarised.every((position) => INTEGER.test(columns[position]!.type)))
    return undefined;
  const block = new RowBlock(schema, batch);
  const summaries: KeySummary[] = [];
  for (const column of summarised) {
    const integers = block.integers(column);
    if (integers === undefined) return undefined;
    summaries.push(summaryOf(column, integers));
  }
  return summaries;
}

function summaryOf(column: number, integers: readonly (number | bigint)[]): KeySummary {
  const [first] = integers;
  if (first === undefined) return { column, values: [] };
  const distinct = new Set(integers);
  let [min, max] = [first, first];
  for (const value of distinct) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  const bounds = { column, min: String(min), max: String(max) };
  return distinct.size > MAX_VALUES ? bounds : { ...bounds, values: [...distinct].map(String).sort() };
}
