/** Numbers of so many digits before the point are written with an exponent: PostgreSQL's are fewer than the kernel's 16. */
const SCIENTIFIC = { float: '1e6', double: '1e15' } as const;

/** `t` is the kernel's text of `v`; from `least` on PostgreSQL writes an exponent. */
const NUMBER = (v: string, t: string, least: string): string => `CASE
  WHEN isfinite(${v}) THEN CASE
    WHEN abs(${v}) >= ${least} AND NOT contains(${t}, 'e') THEN tsr_pg_scientific(${t})
    WHEN suffix(${t}, '.0') THEN left(${t}, -2) ELSE ${t} END
  WHEN isnan(${v}) THEN 'NaN' WHEN ${v} > 0 THEN 'Infinity' WHEN ${v} < 0 THEN '-Infinity' END`;

/** Building blocks of PostgreSQL's text forms, for values whose kernel text is another. */
export const POSTGRES_MACROS: readonly string[] = [
  `CREATE OR REPLACE MACRO tsr_pg_exponent(t, digits, whole) AS
  CASE WHEN starts_with(t, '-') THEN '-' ELSE '' END || left(digits, 1)
  || CASE WHEN length(digits) > 1 THEN '.' || digits[2:] ELSE '' END || 'e+' || lpad(CAST(whole - 1 AS VARCHAR), 2, '0')`,
  `CREATE OR REPLACE MACRO tsr_pg_scientific(t) AS tsr_pg_exponent(t,
  rtrim(replace(replace(regexp_replace(t, '\\.0$', ''), '-', ''), '.', ''), '0'), length(replace(split_part(t, '.', 1), '-', '')))`,
  `CREATE OR REPLACE MACRO tsr_pg_float(v) AS ${NUMBER('v', 'CAST(v AS VARCHAR)', SCIENTIFIC.float)}`,
  `CREATE OR REPLACE MACRO tsr_pg_double(v) AS ${NUMBER('v', 'CAST(v AS VARCHAR)', SCIENTIFIC.double)}`,
  `CREATE OR REPLACE MACRO tsr_pg_era(t) AS
  CASE WHEN contains(t, ' (BC)') THEN replace(t, ' (BC)', '') || ' BC' ELSE t END`,
  // Local times of old had offsets with seconds, which the kernel leaves out.
  `CREATE OR REPLACE MACRO tsr_pg_timestamptz(v) AS tsr_pg_era(CASE
  WHEN v >= TIMESTAMPTZ '1973-01-01 00:00:00+00' OR NOT isfinite(v) OR extract('timezone' FROM v) % 60 = 0
  THEN CAST(v AS VARCHAR)
  ELSE CAST(v AS VARCHAR) || ':' || lpad(CAST(abs(extract('timezone' FROM v)) % 60 AS VARCHAR), 2, '0') END)`,
  `CREATE OR REPLACE MACRO tsr_pg_item(t) AS CASE
  WHEN t = '' OR regexp_matches(t, '[{}",\\\\\\s\\x0b]') OR lower(t) = 'null'
  THEN '"' || replace(replace(t, '\\', '\\\\'), '"', '\\"') || '"' ELSE coalesce(t, 'NULL') END`,
];
