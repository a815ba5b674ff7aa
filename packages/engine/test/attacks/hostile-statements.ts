import { SeededRandom } from '@tessera/common';

interface HostileStatement {
  readonly kind: string;
  readonly sql: string;
  /** The values for `$1`, `$2`, …, in JSON. */
  readonly parameters?: string;
}

const list = (count: number, item: (index: number) => string, separator = ', '): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(separator);

const UNICODE = ['é', '日本', '🦆', '\u202e', '\u0301', '\ufeff', '\u00a0', '\u{10ffff}', '\u0001', 'ſ', 'İ'];
const TYPES = 'INT|BIGINT|DOUBLE|NUMERIC(38, 9)|DATE|TIMESTAMPTZ|BYTEA|ARRAY(INT)|BOOLEAN|TEXT'.split('|');
const VALUES =
  "''|'x'|NULL|-1|1e308|99999999999999999999999|'NaN'|'{'|[1, NULL]|'infinity'|'9999-99-99'".split('|');
const WORDS =
  `SELECT FROM WHERE ( ) , * ' " -- /* */ $1 $$ ; :: a 1 JOIN NULL [ ] { \\ UNION WITH AS e' @ ~ %`.split(
    ' ',
  );
const REGEXES = [
  '(a+)+$',
  '(a|aa)+b',
  '(.*)(.*)(.*)(.*)x',
  'a{1000}',
  '((a{1,30}){1,30}){1,30}',
  '(?:',
  '[',
  'a**',
];
const BOMBS = [
  (size: number) => `SELECT length(range(${size * 1000}))`,
  (size: number) => `SELECT length(list_resize([1], ${size * 10_000}, 1))`,
  (size: number) => `SELECT length(repeat('ab', ${size * 1000}))`,
  (size: number) => `SELECT length(lpad('a', ${size * 1000}, 'bc'))`,
  (size: number) => `SELECT length(string_agg(repeat('y', ${size}), ',')) FROM generate_series(1, 2000) g(x)`,
  (size: number) =>
    `SELECT max(length(a)) FROM (SELECT array_agg(x) AS a FROM generate_series(1, ${size * 20}) g(x) GROUP BY x % 3)`,
  (size: number) => `SELECT length(array_to_string(range(${size * 100}), ','))`,
  (size: number) => `SELECT sum(length(repeat(x::text, ${size * 10}))) FROM generate_series(1, 400) g(x)`,
];
const BRACKETS = [
  ['(', ')'],
  ['[', ']'],
  ['(SELECT ', ')'],
  ['abs(', ')'],
  ['NOT ', ''],
  ['- ', ''],
  ['CASE WHEN true THEN ', ' END'],
] as const;

type Maker = (random: SeededRandom, size: number) => Omit<HostileStatement, 'kind'>;

/** The generators of statements by kind; `size` is from 1 to 1,000,000, and larger values are rarer. */
const KINDS: Readonly<Record<string, Maker>> = {
  'deep nesting': (random, size) => {
    const depth = Math.min(size, 20_000);
    const [open, close] = random.pick(BRACKETS);
    return { sql: `SELECT ${open.repeat(depth)}1${close.repeat(depth)}` };
  },
  'nested queries': (_, size) => {
    const depth = Math.min(size, 2_000);
    return { sql: `SELECT * FROM ${'(SELECT * FROM '.repeat(depth)}(SELECT 1) t${') t'.repeat(depth)}` };
  },
  'long lists': (random, size) => {
    const item = random.pick([String, (i: number) => `'${i}'`, (i: number) => `${i}.5`]);
    const items = list(Math.min(size, 60_000), item);
    const forms = [`1 IN (${items})`, `[${items}]`, `x IN (${items}) FROM generate_series(1, 5) g(x)`];
    return { sql: `SELECT ${random.pick(forms)}` };
  },
  'many rows': (_, size) => ({
    sql: `SELECT count(*) FROM (VALUES ${list(Math.min(size, 15_000), (i) => `(${i}, 'a')`)}) v`,
  }),
  'wide selects': (random, size) => {
    const item = random.pick([
      String,
      (i: number) => `abs(${i} + x) AS c${i}`,
      (i: number) => `'${i}' AS "${i}"`,
    ]);
    return { sql: `SELECT ${list(Math.min(size, 12_000), item)} FROM generate_series(1, 2) g(x)` };
  },
  'long conditions': (random, size) => {
    const conditions = list(Math.min(size, 10_000), (i) => `x <> ${i}`, random.pick([' AND ', ' OR ']));
    return { sql: `SELECT count(*) FROM generate_series(1, 5) g(x) WHERE ${conditions}` };
  },
  'set operations': (random, size) => {
    const operation = random.pick(['UNION ALL', 'UNION', 'EXCEPT']);
    return { sql: list(Math.min(size, 1_500), (i) => `SELECT ${i}`, ` ${operation} `) };
  },
  joins: (random, size) => {
    const joined = list(
      Math.min(size, random.pick([12, 250])),
      (i) => `JOIN (SELECT 1 AS a) t${i} USING (a)`,
      ' ',
    );
    return { sql: `SELECT count(*) FROM (SELECT 1 AS a) t ${joined}` };
  },
  'cross joins': (random, size) => {
    const value = random.pick(['count(*)', 'max(a.x + b.x)', 'count(DISTINCT a.x * b.x)']);
    return { sql: `SELECT ${value} FROM generate_series(1, ${size}) a(x), generate_series(1, ${size}) b(x)` };
  },
  'large texts': (random, size) => {
    const text = random.pick(['a', "''", '\\', ...UNICODE]).repeat(Math.min(size, 200_000));
    return { sql: `SELECT ${random.pick(['length', 'upper', 'md5', ''])}('${text}')` };
  },
  'memory bombs': (random, size) => ({ sql: random.pick(BOMBS)(size * random.pick([1, 100])) }),
  'endless recursion': (random) => {
    const next = random.pick(['a + 1', 'a', 'a * 2 % 7919']);
    const rows = `WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT ${next} FROM t)`;
    return { sql: `${rows} SELECT ${random.pick(['count(*)', 'max(a)'])} FROM t` };
  },
  'regular expressions': (random, size) => {
    const text = `repeat('a', ${Math.min(size, 100_000)})`;
    const [a, b] = [random.pick(REGEXES), random.pick(REGEXES)];
    return { sql: `SELECT regexp_matches(${text}, '${a}'), regexp_replace(${text}, '${b}', 'bb', 'g')` };
  },
  casts: (random) => ({
    sql: `SELECT ${list(random.between(1, 20), () => `${random.pick(VALUES)}::${random.pick(TYPES)}`)}`,
  }),
  unicode: (random, size) => {
    const text = list(Math.min(size, 300), () => random.pick(UNICODE), '');
    const forms = [`'${text}'`, `1 AS "${text}"`, text, `reverse('${text}'), '${text}' LIKE '%${text}_'`];
    return { sql: `SELECT ${random.pick(forms)}` };
  },
  'many parameters': (random, size) => {
    const count = Math.min(size, 20_000);
    const given = Math.max(0, count + random.pick([0, 0, 0, -1, 1]));
    const value = () => random.pick(['1', '"a"', 'null', '1.5']);
    return {
      sql: `SELECT count(*) FROM generate_series(1, 5) g(x) WHERE x IN (${list(count, (i) => `$${i + 1}`)})`,
      parameters: `[${list(given, (i) => `{"name": "$${i + 1}", "value": ${value()}}`)}]`,
    };
  },
  'malformed text': (random, size) => ({
    sql: list(Math.min(size, 2_000), () => random.pick(WORDS), random.pick([' ', ''])),
  }),
};

/**
 * Statements determined by a seed. Each tries to use more than its share of a resource, or to break a parser.
 */
export function* hostileStatements(seed: number, count: number): Generator<HostileStatement> {
  const random = new SeededRandom(seed);
  const kinds = Object.keys(KINDS);
  for (let i = 0; i < count; i += 1) {
    const kind = kinds[i % kinds.length]!;
    const size = Math.floor(10 ** (6 * random.fraction() ** 1.5));
    yield { kind, ...KINDS[kind]!(random, size) };
  }
}
