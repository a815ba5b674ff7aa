/**
 * A cast of a text after the macro that refuses what PostgreSQL does not read. A text that the macro does not change is cast as it
 * is, because the kernel's error then names the column.
 */
export const checkedCast = (macro: string, text: string, type: string): string =>
  `CASE WHEN ${macro}(${text}) = ${text} THEN CAST(${text} AS ${type}) ELSE CAST(${macro}(${text}) AS ${type}) END`;
