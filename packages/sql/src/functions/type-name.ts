/** Type names: a regular expression for the kernel's `typeof`, and the name in the dialect. */
const NAMES: readonly (readonly [kernel: string, dialect: string])[] = [
  ['TIMESTAMP WITH TIME ZONE', 'timestamptz'],
  ['TIMESTAMP(_S|_MS|_NS)?', 'timestamp'],
  ['TIME WITH TIME ZONE', 'timetz'],
  ['TIME', 'time'],
  ['DATE', 'date'],
  ['INTERVAL', 'interval'],
  ['DECIMAL\\((\\d+),(\\d+)\\)', 'numeric(\\1, \\2)'],
  ['UBIGINT', 'numeric(20, 0)'],
  ['U?HUGEINT', 'numeric(38, 0)'],
  ['BIGINT|UINTEGER', 'bigint'],
  ['INTEGER|U?SMALLINT|U?TINYINT', 'integer'],
  ['FLOAT', 'real'],
  ['DOUBLE', 'double precision'],
  ['ENUM\\([^)]*\\)', 'text'],
  ['VARCHAR|UUID|BIT', 'text'],
  ['BLOB', 'bytea'],
  ['BOOLEAN', 'boolean'],
  ['JSON', 'json'],
  ['GEOMETRY', 'geography'],
  ['STRUCT', 'struct'],
  ['MAP', 'map'],
  ['"NULL"', 'unknown'],
];

const ARRAY_NESTING = 5;
const NESTED = String.raw`\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)`;
const ELEMENT =
  'array|struct|map|numeric|integer|bigint|real|double precision|text|bytea|boolean|json|geography|date|timestamptz|timestamp|timetz|time|interval|unknown';

const replaced = (subject: string, pattern: string, replacement: string): string =>
  `regexp_replace(${subject}, '${pattern}', '${replacement}', 'g')`;

const withDialectNames = NAMES.reduce(
  // "NULL" and DECIMAL(…) do not end at a word boundary.
  (subject, [kernel, dialect]) =>
    replaced(subject, /^\w/.test(kernel) && /\w\??$/.test(kernel) ? `\\b(?:${kernel})\\b` : kernel, dialect),
  't',
);

/** `t` is a constant when the query is bound, so the replacements run only once. */
export const TYPE_NAME_MACROS: Readonly<Record<string, readonly string[]>> = {
  type_name: [
    `(t) AS ${Array.from({ length: ARRAY_NESTING }).reduce<string>(
      (subject) => replaced(subject, `\\b((?:${ELEMENT})(?:${NESTED})?)\\[\\d*\\]`, 'array(\\1)'),
      withDialectNames,
    )}`,
  ],
  // PostgreSQL's name of a type of the dialect.
  pg_type_name: [
    `(t) AS ${Array.from({ length: ARRAY_NESTING }).reduce<string>(
      (subject) => replaced(subject, 'array\\(([^()]*)\\)', '\\1[]'),
      String.raw`replace(replace(regexp_replace(regexp_replace(t, 'numeric\([^)]*\)', 'numeric', 'g'),
        '\b(time|timestamp)\b', '\1 without time zone', 'g'), 'timestamptz', 'timestamp with time zone'), 'timetz', 'time with time zone')`,
    )}`,
  ],
};
