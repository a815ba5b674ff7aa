import { duckdb, type Pointer, takeString } from './library.ts';
import { NativeBlock } from './memory.ts';

const TYPE = 'OPERATOR_TYPE';
const CARDINALITY = 'OPERATOR_CARDINALITY';

/** What the profiler of a connection keeps: more would cost more than it tells. */
export const PROFILED_FIGURES = JSON.stringify({ [TYPE]: 'true', [CARDINALITY]: 'true' });

/** The rows that came out of the scans in a tree of profiled operators. The kernel's own count is an estimate. */
export function rowsScanned(operator: Pointer): number {
  let rows = figure(operator, TYPE) === 'TABLE_SCAN' ? Number(figure(operator, CARDINALITY)) : 0;
  const children = Number(duckdb.profilingChildCount(operator));
  for (let i = 0; i < children; i++) rows += rowsScanned(duckdb.profilingChild(operator, i));
  return rows;
}

function figure(operator: Pointer, name: string): string | undefined {
  const value = duckdb.profilingValue(operator, name);
  if (!value) return undefined;
  const text = takeString(duckdb.valueAsText(value));
  const slot = new NativeBlock(8);
  slot.setPointer(0, value);
  duckdb.destroyValue(slot.address);
  return text;
}
