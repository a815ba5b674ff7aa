import { averageMacros } from './exact-average.ts';
import { NUMBER_TEXT_MACROS, POSTGRES_MACROS } from './format/postgres-macros.ts';
import { functionBootstrap } from './functions/index.ts';

/**
 * The CSV reader accepts a delimiter of up to four bytes. No text contains this one, so every line becomes
 * one field.
 */
const NO_DELIMITER = 'chr(1) || chr(2) || chr(3) || chr(4)';
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/**
 * The statements that every fresh kernel runs before it is locked down. They disable the optimiser rule that
 * turns `row_number() … <= n` into an aggregate: it ends the kernel with an internal error if a BETWEEN of an
 * expression stands below the window (`WHERE a + b BETWEEN 1 AND 2 QUALIFY row_number() OVER (…) = 1`), and
 * it is not faster. They also disable the rule that filters the scan of one side of a join by the keys of the
 * other: it filters below a LIMIT, which then takes other rows, so that
 * `s JOIN (SELECT … ORDER BY k LIMIT 10) b ON s.k = b.k` finds keys that are not among the first ten.
 * Without it, the rule that reads most columns of `ORDER BY k LIMIT n` only for the n rows would read the whole table twice, so
 * that is disabled too.
 * `tsr_divisor(d, n)` fails if `d` is zero, unless the dividend `n` is NULL, where the
 * kernel would answer NULL. `tsr_asof_key(x)` fails for types whose equality the kernel's ASOF join gets wrong: it finds
 * the end of a bytea at its first zero byte, and takes arrays for equal that are not. `tsr_read_text` reads one file as lines that end in LF or CR LF. It streams, in
 * parallel, but loses the text after a CR that stands alone; `tsr_split_text` reads such files, whole and
 * slowly. It would read the value of a folder named `content=…` in place of the file, so files below one are passed to
 * `tsr_split_base64`.
 */
export const kernelBootstrap: readonly string[] = [
  'SET GLOBAL integer_division = true',
  "SET GLOBAL disabled_optimizers = 'top_n_window_elimination,join_filter_pushdown,late_materialization'",
  "SET GLOBAL default_null_order = 'nulls_last_on_asc_first_on_desc'",
  "CREATE OR REPLACE MACRO tsr_divisor(d, n) AS CASE WHEN d = 0 AND n IS NOT NULL THEN error('division by zero') ELSE d END",
  `CREATE OR REPLACE MACRO tsr_asof_key(x) AS CASE
    WHEN typeof(x) = 'BLOB' OR suffix(typeof(x), ']') OR prefix(typeof(x), 'STRUCT')
    THEN error('ASOF JOIN cannot compare values of type bytea, array or struct for equality') ELSE x END`,
  `CREATE OR REPLACE MACRO tsr_read_text(path, label, codec) AS TABLE
  SELECT coalesce(line, '') AS line, label AS file, row_number() OVER () AS line_number
  FROM read_csv(path, columns = {'line': 'VARCHAR'}, auto_detect = false, header = false, delim = ${NO_DELIMITER},
    quote = '', escape = '', strict_mode = false, max_line_size = ${MAX_LINE_BYTES},
    buffer_size = ${2 * MAX_LINE_BYTES}, compression = codec, hive_partitioning = false)`,
  `CREATE OR REPLACE MACRO tsr_split_lines(content, label) AS TABLE
  SELECT CASE WHEN ends_with(line, chr(13)) THEN line[:-2] ELSE line END AS line, label AS file, line_number
  FROM (
    SELECT unnest(lines) AS line, generate_subscripts(lines, 1) AS line_number
    FROM (
      SELECT string_split(CASE WHEN ends_with(whole, chr(10)) THEN whole[:-2] ELSE whole END, chr(10)) AS lines
      FROM (
        SELECT CASE WHEN starts_with(read, chr(65279)) THEN read[2:] ELSE read END AS whole FROM (SELECT content AS read)
      )
      WHERE whole <> ''
    )
  )`,
  `CREATE OR REPLACE MACRO tsr_split_text(path, label) AS TABLE
  FROM tsr_split_lines((SELECT content FROM read_text(path)), label)`,
  `CREATE OR REPLACE MACRO tsr_split_base64(encoded, label) AS TABLE
  FROM tsr_split_lines(decode(from_base64(encoded)), label)`,
  ...averageMacros,
  ...NUMBER_TEXT_MACROS,
  ...functionBootstrap,
  ...POSTGRES_MACROS,
];
