import { RandomChoice } from '../differential/random-choice.ts';

/** A query that PostgreSQL and the engine interpret in the same way, with its parameters. */
export interface NullQuery {
  readonly sql: string;
  readonly parameters: readonly (string | null)[];
  readonly ordered: boolean;
}

type Kind = 'int' | 'text' | 'boolean';

const COLUMNS: Readonly<Record<Kind, readonly string[]>> = {
  int: ['a', 'b'],
  text: ['s', 'u'],
  boolean: ['p', 'q'],
};

/** Two tables with the same columns, in which about a third of the values are NULL. */
export function nullTables(seed: string): readonly string[] {
  const choice = new RandomChoice(`${seed}:tables`);
  const value = (values: readonly string[]) => (choice.chance(0.35) ? 'NULL' : choice.pick(values));
  const row = (id: number) => {
    const ints = () => value(['-2', '-1', '0', '1', '2', '3', '7']);
    const texts = () => value(["''", "'a'", "'b'", "'ab'", "'B'", "'a,b'", "'%'", "'é'", "'1'"]);
    const truths = () => value(['true', 'false']);
    return `(${id}, ${ints()}, ${ints()}, ${texts()}, ${texts()}, ${truths()}, ${truths()})`;
  };
  return ['n', 'm'].flatMap((table) => [
    `CREATE TABLE ${table} (id INT NOT NULL, a INT NULL, b INT NULL, s TEXT NULL, u TEXT NULL, p BOOLEAN NULL, q BOOLEAN NULL)`,
    `INSERT INTO ${table} VALUES ${Array.from({ length: 18 }, (_, i) => row(i + 1)).join(', ')}`,
  ]);
}

/** The query of a seed, with NULL in every position where a value can be. */
export function randomNullQuery(seed: string): NullQuery {
  return new Generator(new RandomChoice(seed)).query();
}

class Generator {
  readonly #choice: RandomChoice;
  readonly #parameters: (string | null)[] = [];
  #tables: readonly string[] = ['n'];

  constructor(choice: RandomChoice) {
    this.#choice = choice;
  }

  query(): NullQuery {
    const { sql, ordered } = this.#choice.weighted([
      [4, () => this.#rows()],
      [3, () => this.#groups()],
      [2, () => this.#windows()],
      [2, () => this.#sets()],
      [1, () => this.#distinct()],
    ])();
    return { ...withUsedParameters(sql, this.#parameters), ordered };
  }

  #rows(): { sql: string; ordered: boolean } {
    const from = this.#from();
    const items = [this.#value(3), this.#value(2), this.#truth(3)].map((item, i) => `${item} AS c${i}`);
    const ids = this.#tables.map((table) => `${table}.id`);
    const where = this.#choice.chance(0.7) ? ` WHERE ${this.#truth(3)}` : '';
    if (!this.#choice.chance(0.4))
      return { sql: `SELECT ${items.join(', ')} ${from}${where}`, ordered: false };
    const key = this.#value(1);
    const order = this.#choice.pick(['', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST']);
    const limit = this.#choice.pick(['', ' LIMIT 5', ' LIMIT 4 OFFSET 2']);
    const all = [`(${key}) AS k`, ...ids.map((id, i) => `${id} AS i${i}`), ...items];
    const keys = ['k', ...ids.map((_, i) => `i${i}`)];
    keys[0] += order;
    return {
      sql: `SELECT ${all.join(', ')} ${from}${where} ORDER BY ${keys.join(', ')}${limit}`,
      ordered: true,
    };
  }

  #groups(): { sql: string; ordered: boolean } {
    const from = this.#from();
    const where = this.#choice.chance(0.5) ? ` WHERE ${this.#truth(2)}` : '';
    const keys = this.#choice.some([this.#value(1), this.#value(1), this.#truth(1)], 0, 2);
    const names = keys.map((_, i) => `k${i}`);
    const inner = [...keys.map((key, i) => `${key} AS k${i}`), `${this.#value(2)} AS v`];
    inner.push(`${this.#int(2)} AS i`, `${this.#truth(2)} AS t`, `${this.#text(1)} AS x`);
    const filter = this.#choice.chance(0.3) ? ' FILTER (WHERE t)' : '';
    const aggregates = this.#choice
      .some(
        [
          ...['count(*)', 'count(v)', 'count(DISTINCT v)', 'sum(i)', 'min(i)', 'max(x)', 'min(x)', 'avg(i)'],
          ...['bool_and(t)', 'bool_or(t)', 'max(v)', 'sum(DISTINCT i)', 'stddev_pop(i)', 'var_samp(i)'],
          ...["string_agg(x, ',' ORDER BY x)", 'array_agg(i ORDER BY i)', 'string_agg(x, NULL ORDER BY x)'],
        ],
        2,
        4,
      )
      .map((call) => `${call}${filter}`);
    const grouping = this.#choice.pick([
      names.join(', '),
      `ROLLUP (${names.join(', ')})`,
      `CUBE (${names.join(', ')})`,
    ]);
    const group = names.length === 0 ? this.#choice.pick(['', ' GROUP BY ()']) : ` GROUP BY ${grouping}`;
    const having = this.#choice.pick([
      '',
      '',
      ' HAVING count(*) > 1',
      ' HAVING sum(i) > 0',
      ' HAVING NOT bool_and(t)',
    ]);
    const items = [...names, ...aggregates.map((call, i) => `${call} AS g${i}`)];
    return {
      sql: `SELECT ${items.join(', ')} FROM (SELECT ${inner.join(', ')} ${from}${where}) AS r${group}${having}`,
      ordered: false,
    };
  }

  #windows(): { sql: string; ordered: boolean } {
    const from = this.#from(1);
    const table = this.#tables[0]!;
    const order = `ORDER BY ${this.#column(this.#choice.pick(['int', 'text', 'boolean']))}${this.#choice.pick(['', ' DESC', ' NULLS FIRST'])}, ${table}.id`;
    const partition = this.#choice.chance(0.6) ? `PARTITION BY ${this.#value(1)} ` : '';
    const frame = this.#choice.pick([
      '',
      ' ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING',
      ' ROWS UNBOUNDED PRECEDING',
    ]);
    const functions = this.#choice
      .some(
        [
          ...[
            `lag(${this.#int(1)}) `,
            `lead(${this.#text(1)}, 2) `,
            `lag(${this.#int(0)}, 1, ${this.#int(0)}) `,
          ],
          ...['row_number() ', 'rank() ', 'ntile(3) ', `dense_rank() `],
        ],
        1,
        2,
      )
      .map((call) => `${call}OVER (${partition}${order})`);
    const framed = this.#choice
      .some(
        [
          ...[
            `sum(${this.#int(1)})`,
            `count(${this.#value(1)})`,
            `min(${this.#text(1)})`,
            `max(${this.#int(1)})`,
          ],
          ...[
            `first_value(${this.#int(1)})`,
            `last_value(${this.#text(1)})`,
            `nth_value(${this.#int(1)}, 2)`,
          ],
          ...[`bool_and(${this.#truth(1)})`],
        ],
        1,
        2,
      )
      .map((call) => `${call} OVER (${partition}${order}${frame})`);
    const items = [...functions, ...framed].map((call, i) => `${call} AS w${i}`);
    return { sql: `SELECT ${table}.id, ${items.join(', ')} ${from}`, ordered: false };
  }

  #sets(): { sql: string; ordered: boolean } {
    const branch = () => {
      const from = this.#from(1);
      return `SELECT ${this.#int(2)} AS c0, ${this.#text(2)} AS c1 ${from} WHERE ${this.#truth(1)}`;
    };
    const operator = () =>
      this.#choice.pick(['UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT', 'INTERSECT ALL', 'EXCEPT ALL']);
    return { sql: `(${branch()}) ${operator()} (${branch()})`, ordered: false };
  }

  #distinct(): { sql: string; ordered: boolean } {
    const from = this.#from(1);
    const table = this.#tables[0]!;
    if (this.#choice.chance(0.5))
      return {
        sql: `SELECT DISTINCT ${this.#value(2)} AS c0, ${this.#truth(2)} AS c1 ${from}`,
        ordered: false,
      };
    const key = `(${this.#value(1)})`;
    return {
      sql: `SELECT DISTINCT ON (k) k, id, v FROM (SELECT ${key} AS k, ${table}.id, ${this.#value(1)} AS v ${from}) AS r ORDER BY k, id`,
      ordered: true,
    };
  }

  #from(most = 2): string {
    const join = most > 1 && this.#choice.chance(0.4);
    this.#tables = join ? ['n', 'm'] : [this.#choice.pick(['n', 'm'])];
    if (!join) return `FROM ${this.#tables[0]}`;
    const kind = this.#choice.pick(['JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN', 'CROSS JOIN']);
    if (kind === 'CROSS JOIN') return 'FROM n CROSS JOIN m';
    const kinds: Kind[] = ['int', 'text', 'boolean'];
    const equal = this.#choice.pick(
      kinds.map((of) => `n.${this.#choice.pick(COLUMNS[of])} = m.${this.#choice.pick(COLUMNS[of])}`),
    );
    const more = kind !== 'FULL JOIN' && this.#choice.chance(0.5) ? ` AND n.a < ${this.#int(0)}` : '';
    return `FROM n ${kind} m ON ${equal}${more}`;
  }

  #value(depth: number): string {
    return this.#choice.chance(0.5) ? this.#int(depth) : this.#text(depth);
  }

  #column(kind: Kind): string {
    return `${this.#choice.pick(this.#tables)}.${this.#choice.pick(COLUMNS[kind])}`;
  }

  #null(kind: Kind): string {
    return kind === 'text' && this.#choice.chance(0.3) ? this.#parameter(null, kind) : `NULL::${kind}`;
  }

  #parameter(value: string | null, kind: Kind): string {
    return `$${this.#parameters.push(value)}::${kind}`;
  }

  #leaf(kind: Kind, literal: () => string): string {
    return this.#choice.weighted([
      [5, () => this.#column(kind)],
      [2, literal],
      [2, () => this.#null(kind)],
    ])();
  }

  #common(kind: Kind, depth: number, of: (depth: number) => string): readonly (() => string)[] {
    const inner = () => of(depth - 1);
    return [
      () =>
        `CASE WHEN ${this.#truth(depth - 1)} THEN ${inner()} WHEN ${this.#truth(depth - 1)} THEN ${inner()} ELSE ${inner()} END`,
      () => `CASE WHEN ${this.#truth(depth - 1)} THEN ${inner()} END`,
      () => `CASE ${this.#int(depth - 1)} WHEN ${this.#int(0)} THEN ${inner()} ELSE ${inner()} END`,
      () => `coalesce(${inner()}, ${inner()})`,
      () => `nullif(${inner()}, ${inner()})`,
      () =>
        `(SELECT ${kind === 'boolean' ? 'bool_or' : 'max'}(x.${COLUMNS[kind][0]}) FROM m AS x WHERE x.a = ${this.#int(0)})`,
    ];
  }

  #int(depth: number): string {
    if (depth <= 0) return this.#leaf('int', () => String(this.#choice.between(-3, 5)));
    const i = () => this.#int(depth - 1);
    const t = () => this.#text(depth - 1);
    return this.#choice.pick([
      ...this.#common('int', depth, (d) => this.#int(d)),
      () => `(${i()} + ${i()})`,
      () => `(${i()} - ${i()})`,
      () => `(${i()} * ${this.#int(0)})`,
      () => `(${i()} / nullif(${i()}, 0))`,
      () => `(${i()} % nullif(${i()}, 0))`,
      () => `(NULL::int / ${i()})`,
      () => `(- (${i()}))`,
      () => `((~ ${i()}) + ${i()})`,
      () => `abs(${i()})`,
      () => `mod(${i()}, nullif(${i()}, 0))`,
      () => `greatest(${i()}, ${i()}, ${i()})`,
      () => `least(${i()}, ${i()})`,
      () => `length(${t()})`,
      () => `strpos(${t()}, ${t()})`,
      () => `position(${t()} IN ${t()})`,
      () => `octet_length(${t()})`,
      () => `(${this.#truth(depth - 1)})::int`,
      () => `array_length(string_to_array(${t()}, ','), 1)`,
      () => `(ARRAY[${i()}, ${i()}])[${this.#choice.pick(['1', '2', '3', `abs(${i()})`])}]`,
    ])();
  }

  #text(depth: number): string {
    const literal = () => {
      const value = this.#choice.pick(['', 'a', 'b', 'ab', 'a,b', '%', 'é']);
      return this.#choice.chance(0.3) ? this.#parameter(value, 'text') : `'${value}'`;
    };
    if (depth <= 0) return this.#leaf('text', literal);
    const i = () => this.#int(depth - 1);
    const t = () => this.#text(depth - 1);
    return this.#choice.pick([
      ...this.#common('text', depth, (d) => this.#text(d)),
      () => `(${t()} || ${t()})`,
      () => `substring(${t()}, ${i()})`,
      () => `substr(${t()}, ${i()}, abs(${i()}))`,
      () => `substring(${t()} FROM ${i()} FOR abs(${i()}))`,
      () => `left(${t()}, ${i()})`,
      () => `right(${t()}, ${i()})`,
      () => `lpad(${t()}, abs(${i()}), ${t()})`,
      () => `rpad(${t()}, abs(${i()}))`,
      () => `replace(${t()}, ${t()}, ${t()})`,
      () => `upper(${t()})`,
      () => `trim(${t()})`,
      () => `btrim(${t()}, ${t()})`,
      () => `concat(${t()}, ${t()}, ${i()})`,
      () => `concat_ws(${t()}, ${t()}, ${t()})`,
      () => `split_part(${t()}, ',', 1 + abs(${i()}))`,
      () => `repeat(${t()}, least(${i()}, 3))`,
      () => `reverse(${t()})`,
      () => `translate(${t()}, 'ab', ${t()})`,
      () =>
        `regexp_replace(${t()}, ${this.#choice.pick(["'a'", 'NULL', "'[ab]'"])}, 'x'${this.#choice.pick(['', ", 'g'", ', NULL'])})`,
      () =>
        `array_to_string(ARRAY[${t()}, ${t()}], ${this.#choice.pick(["','", "''", 'NULL'])}${this.#choice.pick(['', ", 'z'", ', NULL'])})`,
      () => `(${i()})::text`,
      () => `greatest(${t()}, ${t()})`,
    ])();
  }

  #truth(depth: number): string {
    if (depth <= 0) return this.#leaf('boolean', () => this.#choice.pick(['true', 'false']));
    const i = () => this.#int(depth - 1);
    const t = () => this.#text(depth - 1);
    const p = () => this.#truth(depth - 1);
    const not = () => this.#choice.pick(['', ' NOT']);
    const compare = () =>
      this.#choice.pick(['=', '<>', '<', '<=', '>', '>=', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM']);
    const order = () => this.#choice.pick(['=', '<>', '<', '<=', '>', '>=']);
    const inner = this.#choice.pick(['n', 'm']);
    return this.#choice.pick([
      ...this.#common('boolean', depth, (d) => this.#truth(d)),
      () => `(${i()} ${compare()} ${i()})`,
      () => `(${t()} ${compare()} ${t()})`,
      () => `(${p()} ${compare()} ${p()})`,
      () => `(${this.#value(depth - 1)} IS${not()} NULL)`,
      () => `(${p()} IS${not()} ${this.#choice.pick(['TRUE', 'FALSE', 'UNKNOWN'])})`,
      () => `(${p()} AND ${p()})`,
      () => `(${p()} OR ${p()})`,
      () => `(NOT ${p()})`,
      () => `(${i()}${not()} BETWEEN ${i()} AND ${i()})`,
      () => `(${i()}${not()} IN (${i()}, ${i()}, ${this.#choice.pick(['NULL', '1'])}))`,
      () => `(${t()}${not()} IN (${t()}, ${t()}))`,
      () => `(${i()}${not()} IN (SELECT y.b FROM ${inner} AS y WHERE y.p))`,
      () =>
        `(${i()} ${order()} ${this.#choice.pick(['ANY', 'ALL'])} (SELECT y.a FROM ${inner} AS y WHERE y.id < 4))`,
      () => `(${i()} ${order()} ${this.#choice.pick(['ANY', 'ALL'])} (ARRAY[${i()}, ${i()}]))`,
      () =>
        `(${i()} ${order()} ${this.#choice.pick(['ANY', 'ALL'])} (${this.#choice.pick(['NULL::int[]', "'{}'::int[]", "'{1,NULL}'::int[]"])}))`,
      () => `EXISTS (SELECT 1 FROM ${inner} AS y WHERE y.a = ${this.#int(0)})`,
      () =>
        `(${t()}${not()} LIKE ${this.#choice.pick(["'a%'", "'_'", "'%b%'", 'NULL', this.#column('text')])})`,
      () => `(${t()} ~ ${this.#choice.pick(["'a'", 'NULL', "'^[ab]+$'"])})`,
      () => `((${i()}, ${t()}) ${order()} (${i()}, ${t()}))`,
      () => `((${i()}, ${i()})${not()} IN ((1, ${i()}), (${i()}, 2)))`,
      () => `((${i()}, ${t()})${not()} IN (SELECT y.b, y.s FROM ${inner} AS y WHERE y.id < ${this.#int(0)}))`,
      () =>
        `((${i()}, ${i()}) ${order()} ${this.#choice.pick(['ANY', 'ALL'])} (SELECT y.a, y.b FROM ${inner} AS y WHERE y.q))`,
      () => `((${i()}, ${t()}) IS${not()} NULL)`,
      () => `starts_with(${t()}, ${t()})`,
    ])();
  }
}

/** Leaves out the parameters of expressions that were generated and are not in the query, and gives the others new numbers. */
export function withUsedParameters(
  sql: string,
  parameters: readonly (string | null)[],
): Pick<NullQuery, 'sql' | 'parameters'> {
  const used: (string | null)[] = [];
  const numbered = sql.replace(
    /\$(\d+)/g,
    (_place, n: string) => `$${used.push(parameters[Number(n) - 1]!)}`,
  );
  return { sql: numbered, parameters: used };
}
