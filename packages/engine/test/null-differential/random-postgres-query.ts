import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RandomChoice } from '../differential/random-choice.ts';
import { type NullQuery, withUsedParameters } from './random-null-query.ts';

/** The types of columns and expressions, with SQL of values of each. */
const VALUES = {
  int: ['0', '1', '-1', '2', '3', '5', '-4', '7', '12', '100', '-2147483648', '2147483647'],
  bigint: ['0::bigint', '5::bigint', '-3::bigint', '9007199254740993', '-9223372036854775807', '4294967296'],
  numeric: [
    '0::numeric(12,3)',
    "'1.500'::numeric(12,3)",
    "'-2.345'::numeric(12,3)",
    "'99999.999'::numeric(12,3)",
  ],
  double: [
    "'0'::float8",
    "'1.5'::float8",
    "'-2.25'::float8",
    "'NaN'::float8",
    "'Infinity'::float8",
    "'1e15'::float8",
  ],
  real: ["'0.5'::real", "'-1.25'::real", "'NaN'::real", "'-Infinity'::real", "'16777216'::real"],
  text: [
    "''",
    "'a'",
    "'ab'",
    "'B'",
    "'a,b'",
    "'%'",
    "'é日'",
    "' x '",
    "'1'",
    String.raw`'a\b'`,
    "E'\\n\\x01'",
    "'😀z'",
    "'a_c'",
  ],
  boolean: ['true', 'false'],
  date: [
    "date '2024-02-29'",
    "date '1969-12-31'",
    "date 'infinity'",
    "date '0044-03-15 BC'",
    "date '2000-01-01'",
  ],
  timestamp: [
    "timestamp '2024-02-29 23:59:59.123456'",
    "timestamp '1969-12-31 12:00:00'",
    "timestamp '-infinity'",
    "timestamp '2000-01-01'",
  ],
  timestamptz: [
    "timestamptz '2024-03-31 01:30:00+00'",
    "timestamptz '1960-01-01 00:00:00.5+05:30'",
    "timestamptz 'infinity'",
  ],
  interval: [
    "interval '1 day'",
    "interval '-1 month 2 hours'",
    "interval '1 year 2 mons 3 days 04:05:06.7'",
    "interval '0'",
  ],
  bytea: [String.raw`'\x'::bytea`, String.raw`'\x00ff'::bytea`, String.raw`'\x6162'::bytea`],
  ints: ["'{}'::int[]", "'{1,2,3}'::int[]", "'{NULL,1}'::int[]", "'{7}'::int[]"],
  texts: ["'{}'::text[]", "'{a,b,NULL}'::text[]", `'{"","a b"}'::text[]`],
  jsonb: [
    `'{"a": 1, "b": [1, "x", null]}'::jsonb`,
    `'[1, 2.50, {"a": "é"}]'::jsonb`,
    "'null'::jsonb",
    `'"s"'::jsonb`,
    "'3'::jsonb",
  ],
} as const satisfies Record<string, readonly string[]>;
type Kind = keyof typeof VALUES;
const KINDS = Object.keys(VALUES) as Kind[];

const SQL_TYPE: Readonly<Record<Kind, string>> = {
  int: 'int',
  bigint: 'bigint',
  numeric: 'numeric(12,3)',
  double: 'double precision',
  real: 'real',
  text: 'text',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'timestamp',
  timestamptz: 'timestamptz',
  interval: 'interval',
  bytea: 'bytea',
  ints: 'int[]',
  texts: 'text[]',
  jsonb: 'jsonb',
};

/** Values of parameters, as clients send them. A text with a NUL is refused. */
const PARAMETERS: Readonly<Partial<Record<Kind, readonly (string | null)[]>>> = {
  int: ['3', '-1', null],
  bigint: ['4', null],
  text: ['', 'a', "o'b", 'é', null, 'a\0b', '\0', 'a\u0001', '\u{10ffff}'],
  boolean: ['t', null],
  date: ['2024-01-31', null],
  texts: ['{a,NULL}', '{}', null],
  ints: ['{1,2}', null],
  jsonb: ['{"a": 2}', '{"a": "\\u0000"}', null],
  double: ['0.5', null],
};

/** The kinds that a table's column can have. */
const STORED = KINDS.filter((kind) => kind !== 'interval');
/** The kinds with an order that both sides share. */
const ORDERED: readonly Kind[] = [
  ...(['int', 'bigint', 'numeric', 'double', 'real', 'text', 'boolean', 'date', 'timestamp'] as const),
  ...(['timestamptz', 'interval', 'bytea'] as const),
];

/**
 * Expressions of each kind, from a file with one in each line: `{kind}` stands for an expression of this kind, `{a|b}` for one of these
 * texts.
 */
const EXPRESSIONS: ReadonlyMap<string, readonly string[]> = Map.groupBy(
  readFileSync(join(import.meta.dirname, 'postgres-expressions.tsv'), 'utf8')
    .trimEnd()
    .split('\n'),
  (line) => line.slice(0, line.indexOf('\t')),
);
const expressionsOf = (kind: Kind): readonly string[] =>
  EXPRESSIONS.get(kind)!.map((line) => line.slice(kind.length + 1));

const PATTERNS = ["'a'", "'^[ab]+$'", "'(a)(b)?'", "'.'", "'x*'", String.raw`'\d+'`, 'NULL', "''", "'[,_]'"];

/** Aggregates whose result does not depend on the order of the rows, by the kind of their result. */
const AGGREGATES: readonly (readonly [kind: Kind, sql: string])[] = [
  ...[
    'count(*)',
    'count({text})',
    'count(DISTINCT {int})',
    'sum({int} % 1000)',
    'count(DISTINCT ({int}, {text}))',
    'regr_count({double}, {double})',
  ].map((sql) => ['bigint', sql] as const),
  ...[
    'sum({numeric})',
    'sum({bigint} % 1000)',
    'avg({int} % 100)',
    'avg({numeric})',
    'var_pop({int} % 100)',
    'stddev_samp({int} % 100)',
    'variance({numeric})',
  ].map((sql) => ['numeric', sql] as const),
  ...[
    'avg({double})',
    'sum({double})',
    'corr({int} % 9, {int} % 7)',
    'covar_samp({int} % 9, {int} % 7)',
    'regr_slope({int} % 9, {int} % 7)',
  ].map((sql) => ['double', sql] as const),
  ...[
    'regr_r2({int} % 9, {int} % 7)',
    'regr_avgx({double}, {double})',
    'regr_intercept({int} % 9, {int} % 7)',
    'stddev_pop({double})',
  ].map((sql) => ['double', sql] as const),
  ['double', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY {int} % 1000)'],
  ['int', 'percentile_disc(0.25) WITHIN GROUP (ORDER BY {int})'],
  ['int', 'mode() WITHIN GROUP (ORDER BY {int})'],
  ...['int', 'bigint', 'numeric', 'double', 'text', 'date', 'timestamp', 'timestamptz', 'interval'].flatMap(
    (kind) => ['min', 'max'].map((name) => [kind, `${name}({${kind}})`] as [Kind, string]),
  ),
  ...['bool_and({boolean})', 'bool_or({boolean})', 'every({boolean})'].map(
    (sql) => ['boolean', sql] as const,
  ),
  ...['bit_and({int})', 'bit_or({int})', 'bit_xor({int})'].map((sql) => ['int', sql] as const),
  ['text', "string_agg({|DISTINCT} r.x, {','|''|NULL} ORDER BY r.x)"],
  ['ints', 'array_agg({|DISTINCT} r.i ORDER BY r.i {|DESC|NULLS FIRST})'],
  ['texts', 'array_agg(r.x ORDER BY r.x)'],
  ['jsonb', 'jsonb_agg(r.i ORDER BY r.i)'],
  // A join may return a row of `r` several times, and the last value of a key stays.
  ['jsonb', "jsonb_object_agg('k' || r.id, r.x ORDER BY r.x)"],
];

const WINDOWS: readonly string[] = [
  ...[
    'row_number()',
    'rank()',
    'dense_rank()',
    'percent_rank()',
    'cume_dist()',
    'ntile({1|3|NULL})',
    'lag({int})',
    'lead({text}, {2|-1|0|NULL})',
  ],
  ...[
    'lag({date}, 1, {date})',
    'lead({int}, {int} % 3, {int})',
    'first_value({int})',
    'last_value({text})',
    'nth_value({int}, {1|2|NULL})',
  ],
];
const FRAMED: readonly string[] = [
  ...[
    'sum({int} % 1000)',
    'count({text})',
    'count(*)',
    'min({text})',
    'max({int})',
    'avg({int} % 100)',
    'bool_or({boolean})',
    'sum({numeric})',
  ],
  ...[
    'first_value({text})',
    'last_value({int})',
    'nth_value({text}, 2)',
    'max({date})',
    'array_agg({int})',
    "string_agg({text}, ',')",
  ],
];
const FRAMES: readonly string[] = [
  ...[
    '',
    'ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING',
    'ROWS UNBOUNDED PRECEDING',
    'RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW',
  ],
  ...[
    'GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW',
    'ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING',
    'ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW',
  ],
  ...[
    'GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING EXCLUDE {TIES|GROUP}',
    'RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING',
  ],
];

/** Two tables with a column of every kind, a third of whose values are NULL. */
export function postgresTables(seed: string): readonly string[] {
  const choice = new RandomChoice(`${seed}:tables`);
  const value = (kind: Kind) => (choice.chance(0.33) ? 'NULL' : choice.pick<string>(VALUES[kind]));
  const row = (id: number) => `(${[String(id), ...STORED.map(value)].join(', ')})`;
  return ['v', 'w'].flatMap((table) => [
    `CREATE TABLE ${table} (id INT NOT NULL, ${STORED.map((kind) => `c_${kind} ${SQL_TYPE[kind]} NULL`).join(', ')})`,
    `INSERT INTO ${table} VALUES ${Array.from({ length: 14 }, (_, i) => row(i + 1)).join(', ')}`,
  ]);
}

/** The query of a seed over all types, functions and clauses that the dialect shares with PostgreSQL. */
export function randomPostgresQuery(seed: string): NullQuery {
  return new Generator(new RandomChoice(seed)).query();
}

type Made = Pick<NullQuery, 'sql' | 'ordered'>;

class Generator {
  readonly #choice: RandomChoice;
  readonly #parameters: (string | null)[] = [];
  #tables: readonly string[] = [];

  constructor(choice: RandomChoice) {
    this.#choice = choice;
  }

  query(): NullQuery {
    const made = this.#choice.weighted<() => Made>([
      [8, () => this.#single()],
      [3, () => this.#constants()],
      [8, () => this.#rows()],
      [6, () => this.#groups()],
      [4, () => this.#windows()],
      [3, () => this.#sets()],
      [2, () => this.#distinct()],
      [2, () => this.#lateral()],
      [1, () => this.#recursive()],
      [2, () => this.#unnested()],
    ])();
    return { ...withUsedParameters(made.sql, this.#parameters), ordered: made.ordered };
  }

  #of(kind: Kind, depth: number): string {
    const c = this.#choice;
    if (depth <= 0 || c.chance(0.2)) return this.#leaf(kind);
    if (c.chance(0.12)) return this.#common(kind, depth - 1);
    return `(${this.#filled(c.pick(expressionsOf(kind)), depth - 1)})`;
  }

  /** Replaces the places of a template. */
  #filled(template: string, depth: number): string {
    return template.replace(/\{([^{}]*)\}/g, (place, inner: string) => {
      if (inner === 'pattern') return this.#choice.pick(PATTERNS);
      if (inner in VALUES) return this.#of(inner as Kind, depth);
      if (!inner.includes('|')) return place;
      return this.#choice.pick(inner.split(/(?<!\\)\|/)).replaceAll('\\|', '|');
    });
  }

  #leaf(kind: Kind): string {
    const c = this.#choice;
    const parameters = PARAMETERS[kind];
    const isColumn = this.#tables.length > 0 && kind !== 'interval';
    return c.weighted<() => string>([
      [isColumn ? 6 : 0, () => `${c.pick(this.#tables)}.c_${kind}`],
      [3, () => c.pick<string>(VALUES[kind])],
      [1, () => `NULL::${SQL_TYPE[kind]}`],
      [
        parameters === undefined ? 0 : 0.3,
        () => `$${this.#parameters.push(c.pick(parameters!))}::${SQL_TYPE[kind]}`,
      ],
    ])();
  }

  #common(kind: Kind, depth: number): string {
    const c = this.#choice;
    const of = () => this.#of(kind, depth);
    const truth = () => this.#of('boolean', depth);
    return c.pick([
      () => `CASE WHEN ${truth()} THEN ${of()} WHEN ${truth()} THEN ${of()} ELSE ${of()} END`,
      () => `CASE ${this.#of('int', depth)} WHEN ${this.#of('int', 0)} THEN ${of()} END`,
      () => `coalesce(${of()}, ${of()})`,
      () => `nullif(${of()}, ${of()})`,
      () => (ORDERED.includes(kind) ? `${c.pick(['greatest', 'least'])}(${of()}, ${of()}, ${of()})` : of()),
      () =>
        kind === 'interval'
          ? of()
          : `(SELECT y.c_${kind} FROM w y WHERE y.id = ${c.between(1, 20)}${c.chance(0.5) ? ` AND ${truth()}` : ''})`,
    ])();
  }

  /** Columns of some kinds, named `c0`, `c1`, … */
  #items(most: number, depth: number, kinds: readonly Kind[] = KINDS): { sql: string; kinds: Kind[] } {
    const chosen = Array.from({ length: this.#choice.between(1, most) }, () => this.#choice.pick(kinds));
    return { sql: chosen.map((kind, i) => `${this.#of(kind, depth)} AS c${i}`).join(', '), kinds: chosen };
  }

  #from(most = 2): string {
    const c = this.#choice;
    if (most === 1 || c.chance(0.6)) {
      this.#tables = [c.pick(['v', 'w'])];
      return `FROM ${this.#tables[0]}`;
    }
    this.#tables = ['v', 'w'];
    const kind = c.pick(['JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN', 'CROSS JOIN']);
    if (kind === 'CROSS JOIN') return 'FROM v CROSS JOIN w';
    if (c.chance(0.15)) return `FROM v ${kind} w USING (${c.pick(['id', 'c_int', 'id, c_text'])})`;
    const key = c.pick(ORDERED.filter((one) => one !== 'interval'));
    const more = kind !== 'FULL JOIN' && c.chance(0.4) ? ` AND ${this.#of('boolean', 1)}` : '';
    return `FROM v ${kind} w ON v.c_${key} = w.c_${key}${more}`;
  }

  #where(depth: number, probability = 0.6): string {
    return this.#choice.chance(probability) ? ` WHERE ${this.#of('boolean', depth)}` : '';
  }

  #limit(): string {
    return this.#choice.pick([
      '',
      '',
      ' LIMIT 5',
      ' LIMIT 3 OFFSET 2',
      ' OFFSET 4',
      ' LIMIT 0',
      ' LIMIT NULL',
      ' FETCH FIRST 2 ROWS ONLY',
    ]);
  }

  /** One function or operator over columns and constants, so that no other one hides its difference or its error. */
  #single(): Made {
    const c = this.#choice;
    const from = this.#from(1);
    const template = c.pick(expressionsOf(c.pick(KINDS)));
    return { sql: `SELECT id, ${this.#filled(template, 0)} AS c ${from} ORDER BY id`, ordered: true };
  }

  #constants(): Made {
    this.#tables = [];
    return { sql: `SELECT ${this.#items(3, 2).sql}${this.#where(1, 0.1)}`, ordered: true };
  }

  #rows(): Made {
    const c = this.#choice;
    const from = this.#from();
    const ids = this.#tables.map((table, i) => `${table}.id AS i${i}`);
    const { sql: items } = this.#items(3, 2);
    const where = this.#where(2);
    if (c.chance(0.5)) return { sql: `SELECT ${ids.join(', ')}, ${items} ${from}${where}`, ordered: false };
    const key = c.pick(ORDERED);
    const order = `${c.pick(['', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST'])}, ${ids.map((_, i) => `i${i}`).join(', ')}`;
    return {
      sql: `SELECT ${this.#of(key, 2)} AS k, ${ids.join(', ')}, ${items} ${from}${where} ORDER BY k${order}${this.#limit()}`,
      ordered: true,
    };
  }

  #groups(): Made {
    const c = this.#choice;
    const from = this.#from();
    const keys = Array.from({ length: c.between(0, 2) }, () => c.pick(ORDERED));
    const inner = [
      `${this.#tables[0]}.id`,
      ...keys.map((kind, i) => `${this.#of(kind, 1)} AS k${i}`),
      `${this.#of('int', 1)} AS i`,
      `${this.#of('text', 1)} AS x`,
      ...STORED.map((kind) => `${this.#tables[0]}.c_${kind}`),
    ];
    const where = this.#where(2, 0.4);
    this.#tables = ['r'];
    const aggregates = Array.from({ length: c.between(1, 4) }, (_, i) => {
      const call = this.#filled(c.pick(AGGREGATES)[1], 1);
      return `${call}${c.chance(0.2) ? ` FILTER (WHERE ${this.#of('boolean', 1)})` : ''} AS g${i}`;
    });
    const names = keys.map((_, i) => `k${i}`);
    const all = names.join(', ');
    const sets = c.pick([
      all,
      all,
      `ROLLUP (${all})`,
      `CUBE (${all})`,
      `GROUPING SETS ((${all}), (${names[0]}), ())`,
    ]);
    const grouped = names.length === 0 ? '' : ` GROUP BY ${sets}`;
    const grouping = sets.includes('(') && names.length > 0 ? [`grouping(${all}) AS gr`] : [];
    const having = c.pick([
      '',
      '',
      '',
      ' HAVING count(*) > 1',
      ' HAVING NULL::boolean',
      ' HAVING max(r.id) > 3',
      ' HAVING bool_and(r.c_boolean)',
    ]);
    return {
      sql: `SELECT ${[...names, ...grouping, ...aggregates].join(', ')} FROM (SELECT ${inner.join(', ')} ${from}${where}) r${grouped}${having}`,
      ordered: false,
    };
  }

  #windows(): Made {
    const c = this.#choice;
    const from = this.#from(1);
    const id = `${this.#tables[0]}.id`;
    const key = c.pick(ORDERED);
    const partition = c.chance(0.5) ? `PARTITION BY ${this.#of(c.pick(ORDERED), 1)} ` : '';
    const order = `ORDER BY ${this.#of(key, 1)}${c.pick(['', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST'])}`;
    const calls = [
      ...Array.from(
        { length: c.between(0, 2) },
        () => `${this.#filled(c.pick(WINDOWS), 1)} OVER (${partition}${order}, ${id})`,
      ),
      ...Array.from({ length: c.between(1, 2) }, () => {
        const frame = this.#filled(c.pick(FRAMES), 0);
        return `${this.#filled(c.pick(FRAMED), 1)} OVER (${partition}${order}, ${id} ${frame})`;
      }),
    ].map((call, i) => `${call} AS w${i}`);
    return { sql: `SELECT ${id}, ${calls.join(', ')} ${from}${this.#where(1, 0.3)}`, ordered: false };
  }

  #sets(): Made {
    const c = this.#choice;
    const kinds = Array.from({ length: c.between(1, 3) }, () => c.pick(KINDS));
    const branch = () => {
      const from = this.#from(1);
      return `SELECT ${kinds.map((kind, i) => `${this.#of(kind, 2)} AS c${i}`).join(', ')} ${from}${this.#where(1)}`;
    };
    const operator = () =>
      c.pick(['UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT', 'INTERSECT ALL', 'EXCEPT ALL']);
    let sql = `(${branch()}) ${operator()} (${branch()})`;
    if (c.chance(0.3)) sql = `(${sql}) ${operator()} (${branch()})`;
    const sorted = kinds.every((kind) => ORDERED.includes(kind)) && c.chance(0.5);
    return sorted
      ? { sql: `${sql} ORDER BY ${kinds.map((_, i) => i + 1).join(', ')}${this.#limit()}`, ordered: true }
      : { sql, ordered: false };
  }

  #distinct(): Made {
    const c = this.#choice;
    const from = this.#from(1);
    const id = `${this.#tables[0]}.id`;
    if (c.chance(0.5))
      return { sql: `SELECT DISTINCT ${this.#items(2, 2).sql} ${from}${this.#where(1)}`, ordered: false };
    return {
      sql: `SELECT DISTINCT ON (k) k, id, x FROM (SELECT ${this.#of(c.pick(ORDERED), 2)} AS k, ${id}, ${this.#of('text', 2)} AS x ${from}) r ORDER BY k${c.pick(['', ' DESC', ' NULLS FIRST'])}, id`,
      ordered: true,
    };
  }

  #lateral(): Made {
    const c = this.#choice;
    this.#tables = ['v'];
    const condition = this.#of('boolean', 1);
    this.#tables = ['v', 'w'];
    const inner = `SELECT ${this.#items(2, 2).sql} FROM w WHERE ${this.#of('boolean', 1)} ORDER BY w.id LIMIT ${c.between(1, 3)}`;
    const [join, on] = c.pick([
      ['CROSS JOIN', ''],
      ['LEFT JOIN', ' ON true'],
    ]);
    return {
      sql: `SELECT v.id, l.* FROM v ${join} LATERAL (${inner}) l${on} WHERE ${condition}`,
      ordered: false,
    };
  }

  #recursive(): Made {
    const c = this.#choice;
    this.#tables = ['v'];
    const start = `SELECT v.id, ${this.#of('text', 1)} FROM v${this.#where(1)}`;
    this.#tables = [];
    const step = c.pick(['r.n + 1', 'r.n * 2 + 1', 'r.n + coalesce(length(r.x) % 3, 0) + 1']);
    const next = `SELECT ${step}, left(r.x || ${this.#of('text', 0)}, 3) FROM r WHERE r.n < 9`;
    return {
      sql: `WITH RECURSIVE r(n, x) AS (${start} ${c.pick(['UNION', 'UNION ALL'])} ${next}) SELECT n, x, count(*) AS c FROM r GROUP BY n, x`,
      ordered: false,
    };
  }

  #unnested(): Made {
    const c = this.#choice;
    const from = this.#from(1);
    const id = `${this.#tables[0]}.id`;
    return c.pick<() => Made>([
      () => ({
        sql: `SELECT ${id}, unnest(${this.#of(c.pick(['ints', 'texts']), 1)}) AS u, ${this.#of('int', 1)} AS c ${from}`,
        ordered: false,
      }),
      () => ({
        sql: `SELECT ${id}, u.* ${from}, unnest(${this.#of('ints', 1)}, ${this.#of('texts', 1)}) WITH ORDINALITY u(x, y, n)`,
        ordered: false,
      }),
      () => ({
        sql: `SELECT ${id}, g ${from}, generate_series(${this.#of('int', 1)} % 5, 4, ${c.pick(['1', '2', '-1', 'NULL'])}) g`,
        ordered: false,
      }),
      () => ({
        sql: `SELECT ${id}, j.* ${from}, jsonb_each_text(${this.#of('jsonb', 1)}) j WHERE jsonb_typeof(${this.#tables[0]}.c_jsonb) = 'object'`,
        ordered: false,
      }),
      () => ({
        sql: `SELECT ${id}, ${c.pick(['string_to_table', 'regexp_split_to_table'])}(${this.#of('text', 1)}, ${c.pick(["','", "''", 'NULL'])}) AS u ${from}`,
        ordered: false,
      }),
    ])();
  }
}
