import { functionBootstrap } from './functions/index.ts';

/**
 * What every fresh kernel runs before it is locked down. `tsr_divisor` stops at zero, where the kernel would answer
 * NULL. `tsr_read_text` splits at LF and takes a CR before it for part of the line end, and drops a byte order mark; a last line without an end is
 * a line.
 */
export const kernelBootstrap: readonly string[] = [
  'SET GLOBAL integer_division = true',
  "SET GLOBAL default_null_order = 'nulls_last_on_asc_first_on_desc'",
  "CREATE OR REPLACE MACRO tsr_divisor(d) AS CASE WHEN d = 0 THEN error('division by zero') ELSE d END",
  `CREATE OR REPLACE MACRO tsr_read_text(paths, labels) AS TABLE
  SELECT CASE WHEN ends_with(line, chr(13)) THEN line[:-2] ELSE line END AS line, file, line_number
  FROM (
    SELECT unnest(lines) AS line, file, generate_subscripts(lines, 1) AS line_number
    FROM (
      SELECT string_split(CASE WHEN ends_with(content, chr(10)) THEN content[:-2] ELSE content END, chr(10)) AS lines,
        labels[list_position(paths, filename)] AS file
      FROM (
        SELECT CASE WHEN starts_with(content, chr(65279)) THEN content[2:] ELSE content END AS content, filename
        FROM read_text(paths)
      )
      WHERE content <> ''
    )
  )`,
  ...functionBootstrap,
];
