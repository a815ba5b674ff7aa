import { quoteText } from '@tessera/kernel';
import type { OutputColumn } from '../types/sql-type.ts';
import { textValue } from './text-value.ts';

/** `Row 1:`, a rule, then `name: value` lines with aligned values, and an empty line. */
export function verticalRow(columns: readonly OutputColumn[]): string {
  const width = Math.max(0, ...columns.map((c) => [...c.name].length));
  const number = 'CAST(row_number() OVER () AS VARCHAR)';
  const head = `'Row ' || ${number} || ':' || chr(10) || repeat('─', 5 + length(${number})) || chr(10)`;
  const lines = columns.map(({ name, type, nullable }, index) => {
    const label = quoteText(`${name}: ${' '.repeat(width - [...name].length)}`);
    const text = textValue(type, `c${index}`);
    return `${label} || ${nullable ? `coalesce(${text}, 'NULL')` : `(${text})`} || chr(10)`;
  });
  return `concat(${[head, ...lines, 'chr(10)'].join(', ')})`;
}
