import type { FileBounds } from '@tessera/tablet';
import { parseMetadata } from '../table/read-metadata.ts';
import type { AddFile } from './log-actions.ts';
import type { DeltaColumn } from './schema.ts';

interface Statistics {
  readonly numRecords?: number;
  readonly minValues?: Readonly<Record<string, unknown>>;
  readonly maxValues?: Readonly<Record<string, unknown>>;
  readonly nullCount?: Readonly<Record<string, unknown>>;
}

/** What the log says about the values of a file. @throws TesseraError BAD_FILE */
export function statisticsOf(
  { stats, path }: Pick<AddFile, 'stats' | 'path'>,
  columns: readonly DeltaColumn[],
): { readonly rows: number | undefined; readonly bounds: Readonly<Record<string, FileBounds>> } {
  const bounds: Record<string, FileBounds> = {};
  if (!stats) return { rows: undefined, bounds };
  const { numRecords, minValues, maxValues, nullCount } = parseMetadata<Statistics>(
    stats,
    `the statistics of ${path}`,
  );
  for (const { name, logName, type } of columns) {
    const nulls = nullCount?.[logName];
    if (typeof nulls === 'object') continue;
    const min = boundText(type, minValues?.[logName], false);
    const max = boundText(type, maxValues?.[logName], true);
    if (min === undefined && max === undefined && nulls === undefined) continue;
    bounds[name] = { min, max, someNull: nulls !== 0, allNull: nulls !== undefined && nulls === numRecords };
  }
  return { rows: numRecords, bounds };
}

/** Numbers of JSON with more digits are not exact. */
const EXACT_DIGITS = 15;

/** A bound as the kernel's VARCHAR; undefined if it is not exact enough. */
function boundText(type: string, value: unknown, isMax: boolean): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = String(value);
  // NaN is the largest value to the kernel, but it may be missing in the bounds.
  if (type === 'FLOAT' || type === 'DOUBLE') return isMax || typeof value !== 'number' ? undefined : text;
  if (type.startsWith('DECIMAL')) return text.replace(/\D/g, '').length <= EXACT_DIGITS ? text : undefined;
  if (type === 'TIMESTAMP' || type === 'TIMESTAMPTZ') return momentBound(type, text, isMax);
  return type === 'BLOB' ? undefined : text;
}

/** Writers cut times to milliseconds, so that the largest may be up to a millisecond larger. */
function momentBound(type: string, text: string, isMax: boolean): string | undefined {
  const time = new Date(/(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`).getTime();
  if (Number.isNaN(time)) return undefined;
  const [day, clock] = new Date(time + (isMax ? 1 : 0)).toISOString().slice(0, -1).split('T');
  return `${day} ${clock}${type === 'TIMESTAMPTZ' ? '+00' : ''}`;
}

/** The value of a partition column as the kernel's VARCHAR; null is NULL. */
export function partitionText(type: string, text: string | null | undefined): string | null {
  if (text === null || text === undefined || text === '') return null;
  if (type !== 'TIMESTAMP' && type !== 'TIMESTAMPTZ') return text;
  const plain = text.replace('T', ' ').replace(/Z$/, '');
  return type === 'TIMESTAMPTZ' && !/[+-]\d{2}(?::?\d{2})?$/.test(plain.slice(10)) ? `${plain}+00` : plain;
}
