import { quoteText } from '../types/output-type.ts';
import type { OutputColumn, SqlType } from '../types/sql-type.ts';
import { textValue } from './text-value.ts';

/**
 * A table as psql prints it: centred names, a rule, cells as wide as the widest (numbers to the right), and the count of
 * rows. The widths need all rows, so the kernel holds their text (and spills it) before the first line leaves.
 */
export function psqlRows(columns: readonly OutputColumn[], source: string): string {
  if (columns.length === 0) return `SELECT '--' || chr(10) || ${rowCount('count(*)')} FROM ${source}`;
  const cells = columns.map(({ type }, i) => `${oneLine(coalesced(type, i))} AS t${i}`);
  const widths = columns.map(
    ({ name }, i) => `greatest(${displayWidth(name)}, coalesce(max(length(t${i})), 0)) AS w${i}`,
  );
  const names = columns.map(({ name }, i) => centred(name, `w${i}`)).join(` || '|' || `);
  const rule = columns.map((_, i) => `repeat('-', w${i} + 2)`).join(` || '+' || `);
  const row = columns.map(({ type }, i) => ` ' ' || ${padded(type, i)} || ' ' `).join(` || '|' || `);
  return `WITH text AS MATERIALIZED (SELECT ${cells.join(', ')}, row_number() OVER () AS n FROM ${source}),
widths AS MATERIALIZED (SELECT ${widths.join(', ')}, count(*) AS total FROM text)
SELECT line FROM (
SELECT -1 AS n, ${names} || chr(10) || ${rule} || chr(10) AS line FROM widths
UNION ALL SELECT n, ${row} || chr(10) FROM text, widths
UNION ALL SELECT total + 1, ${rowCount('total')} FROM widths
) ORDER BY n`;
}

const coalesced = (type: SqlType, index: number) => `coalesce(${textValue(type, `c${index}`)}, '')`;

const oneLine = (text: string) => `replace(replace(${text}, chr(10), '\\n'), chr(9), '\\t')`;

const rowCount = (count: string) =>
  `'(' || CAST(${count} AS VARCHAR) || CASE ${count} WHEN 1 THEN ' row)' ELSE ' rows)' END || chr(10)`;

const displayWidth = (name: string) => [...name].length;

const centred = (name: string, width: string) =>
  `repeat(' ', (${width} - ${displayWidth(name)}) // 2 + 1) || ${quoteText(name)} || repeat(' ', ${width} - ${displayWidth(name)} - (${width} - ${displayWidth(name)}) // 2 + 1)`;

const RIGHT_ALIGNED = ['int', 'long', 'float', 'double', 'decimal'];

const padded = (type: SqlType, index: number) => {
  const blanks = `repeat(' ', w${index} - length(t${index}))`;
  return RIGHT_ALIGNED.includes(type.kind) ? `${blanks} || t${index}` : `t${index} || ${blanks}`;
};
