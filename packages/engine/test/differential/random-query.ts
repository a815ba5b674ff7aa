import { aggregateOf, ORDERED } from './random-aggregate.ts';
import type { RandomChoice } from './random-choice.ts';
import { MANY_ROWS, RandomJoins } from './random-joins.ts';
import { type Kind, literalOf, type RandomTable } from './random-tables.ts';
import { RandomValues, type Relation } from './random-values.ts';
import { windowOf } from './random-window.ts';
import { optional } from './reduced.ts';
import type { Reference } from './reference.ts';

export interface RandomQuery {
  /** The query, with marks around parts that may be dropped. */
  readonly sql: string;
  /** Whether the query determines the order of the rows. */
  readonly ordered: boolean;
}

interface Named {
  readonly name: string;
  readonly columns: readonly { name: string; kind: Kind }[];
  readonly rows: number;
}

const DEPTH = 2;

/** A query of one seed over the tables. */
export class QueryMaker {
  readonly #choice: RandomChoice;
  readonly #values: RandomValues;
  readonly #joins: RandomJoins;
  readonly #tables: readonly Named[];
  readonly #shared: Named[] = [];
  #names = 0;

  constructor(choice: RandomChoice, tables: readonly RandomTable[]) {
    this.#choice = choice;
    this.#values = new RandomValues(choice);
    this.#joins = new RandomJoins(choice, this.#values, {
      relation: (depth) => this.#relation(depth),
      name: (prefix) => this.#name(prefix),
    });
    this.#tables = tables;
  }

  query(): RandomQuery {
    const ctes: string[] = [];
    for (
      let i = this.#choice.weighted([
        [5, 0],
        [3, 1],
        [1, 2],
      ] as const);
      i > 0;
      i--
    )
      ctes.push(this.#cte());
    const isRecursive = ctes.some((cte) => cte.includes('recursive'));
    const { sql, columns } = this.#body(DEPTH);
    const head = ctes.length === 0 ? '' : `WITH ${isRecursive ? 'RECURSIVE ' : ''}${ctes.join(', ')} `;
    const isOrderable = columns.every(({ kind }) => ORDERED.has(kind));
    const name = this.#name('q');
    if (!isOrderable || this.#choice.chance(0.5)) return { sql: `${head}${sql}`, ordered: false };
    return {
      sql: `${head}SELECT * FROM (${sql}) AS ${name} ${this.#totalOrder(columns.length)}${this.#someRows()}`,
      ordered: true,
    };
  }

  #name(prefix: string): string {
    return `${prefix}_${this.#names++}`;
  }

  #totalOrder(columns: number): string {
    const c = this.#choice;
    const positions = c.some(
      Array.from({ length: columns }, (_, i) => i + 1),
      columns,
      columns,
    );
    const keys = positions.map(
      (at) => `${at} ${c.pick(['', 'DESC'])} ${c.pick(['NULLS FIRST', 'NULLS LAST'])}`,
    );
    return `ORDER BY ${keys.join(', ')}`;
  }

  #someRows(): string {
    const c = this.#choice;
    if (c.chance(0.4)) return '';
    const offset = c.chance(0.4) ? ` OFFSET ${c.between(0, 30)}` : '';
    return optional(` LIMIT ${c.pick([0, 1, 5, 20, 300])}${offset}`);
  }

  /** A common table expression, which later queries may refer to, often more than once. */
  #cte(): string {
    const c = this.#choice;
    if (c.chance(0.25)) return this.#recursive();
    const name = this.#name('w');
    const { sql, columns, rows } = this.#body(1);
    this.#shared.push({ name, columns, rows });
    return `${name} AS ${c.pick(['', '', 'MATERIALIZED ', 'NOT MATERIALIZED '])}(${sql})`;
  }

  #recursive(): string {
    const c = this.#choice;
    const name = this.#name('recursive');
    const table = c.pick(this.#tables);
    const steps = c.between(1, 4);
    this.#shared.push({
      name,
      columns: [
        { name: 'a', kind: 'big' },
        { name: 'n', kind: 'int' },
      ],
      rows: 200,
    });
    const [from, to] = c.pick([
      [`t.id = r.a + ${c.between(1, 3)}`, 't.id'],
      [`t.id = r.a * 2`, 't.id'],
      [`t.id > r.a AND t.id < r.a + 2`, 't.id'],
    ]);
    return `${name}(a, n) AS (SELECT id, 0 FROM ${table.name} WHERE id < ${c.between(1, 9)} ${c.pick(['UNION', 'UNION ALL'])}
      SELECT ${to}, r.n + 1 FROM ${name} r JOIN ${table.name} t ON ${from} WHERE r.n < ${steps})`;
  }

  /** A complete SELECT with new names for its columns. */
  #body(depth: number): { sql: string; columns: Named['columns']; rows: number } {
    const c = this.#choice;
    if (depth > 0 && c.chance(0.15)) return this.#setOperation(depth);
    const from = this.#from(depth);
    const where = this.#where(from, depth);
    return c.weighted<() => { sql: string; columns: Named['columns']; rows: number }>([
      [4, () => this.#plain(from, where, depth)],
      [5, () => this.#grouped(from, where, depth)],
      [2, () => this.#windowed(from, where)],
      [1, () => this.#distinctOn(from, where)],
      [1, () => this.#unnested(from, where)],
    ])();
  }

  #setOperation(depth: number) {
    const c = this.#choice;
    const kinds = c.some<Kind>(['int', 'text', 'decimal', 'date', 'big', 'boolean', 'timestamp'], 1, 3);
    const side = () => {
      const from = this.#from(depth - 1);
      const values = kinds.map(
        (kind, i) => `${this.#values.castTo(kind, this.#values.value(kind, from.columns))} AS s${i}`,
      );
      return {
        sql: `SELECT ${values.join(', ')} FROM ${from.sql}${this.#where(from, 0)}`,
        rows: from.rows,
      };
    };
    const operations = ['UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT', 'INTERSECT ALL', 'EXCEPT ALL'];
    let { sql, rows } = side();
    for (let i = c.between(1, 2); i > 0; i--) {
      const other = side();
      sql = `(${sql}) ${c.pick(operations)} (${other.sql})`;
      rows += other.rows;
    }
    return { sql, columns: kinds.map((kind, i) => ({ name: `s${i}`, kind })), rows };
  }

  #from(depth: number): Relation {
    const c = this.#choice;
    let left = this.#relation(depth);
    const joins = c.weighted([
      [4, 0],
      [4, 1],
      [2, 2],
    ] as const);
    for (let i = 0; i < joins; i++) left = this.#joins.join(left, depth);
    return left;
  }

  #relation(depth: number): Relation {
    const c = this.#choice;
    if (depth > 0 && c.chance(0.2)) {
      const body = this.#body(depth - 1);
      return this.#named(`(${body.sql})`, body);
    }
    if (c.chance(0.05)) {
      const rows = c.between(0, 8);
      return this.#named(
        `generate_series(1, ${rows})`,
        { columns: [{ name: 'n', kind: 'int' }], rows },
        true,
      );
    }
    if (c.chance(0.04)) {
      const rows = Array.from(
        { length: 3 },
        () => `(${literalOf('int', c)}, ${c.pick(['NULL', literalOf('text', c)])})`,
      );
      const columns = [
        { name: 'v', kind: 'int' },
        { name: 's', kind: 'text' },
      ] as const;
      return this.#named(`(VALUES ${rows.join(', ')})`, { columns, rows: 3 }, true);
    }
    const shared = this.#shared.filter(({ rows }) => rows < MANY_ROWS);
    const from = shared.length > 0 && c.chance(0.5) ? shared : this.#tables;
    const table = c.pick(from);
    return this.#named(table.name, table);
  }

  #named(sql: string, { columns, rows }: Pick<Named, 'columns' | 'rows'>, renames = false): Relation {
    const alias = this.#name('r');
    const names = renames ? `(${columns.map(({ name }) => name).join(', ')})` : '';
    return {
      sql: `${sql} AS ${alias}${names}`,
      columns: columns.map(({ name, kind }) => ({ sql: `${alias}.${name}`, kind })),
      rows,
    };
  }

  #where(from: Relation, depth: number): string {
    const c = this.#choice;
    const all: string[] = [];
    if (c.chance(0.35)) all.push(this.#values.comparison(from.columns));
    if (depth > 0 && c.chance(0.45)) all.push(this.#subqueryPredicate(from, depth));
    return all.length === 0 ? '' : optional(` WHERE ${all.join(c.chance(0.2) ? ' OR ' : ' AND ')}`);
  }

  #correlation(from: Relation, outer: readonly Reference[]): string {
    const c = this.#choice;
    const keys = this.#values.commonKeys(from, { sql: '', rows: 0, columns: outer });
    if (keys === undefined) return 'TRUE';
    const operators = ORDERED.has(keys[0].kind) ? ['=', '=', '=', '<', '<>', 'IS NOT DISTINCT FROM'] : ['='];
    return `${keys[0].sql} ${c.pick(operators)} ${keys[1].sql}`;
  }

  #subqueryPredicate(from: Relation, depth: number): string {
    const c = this.#choice;
    const isCorrelated = c.chance(0.65);
    const inner = this.#from(0);
    const correlation = isCorrelated && c.chance(0.9) ? this.#correlation(inner, from.columns) : 'TRUE';
    const nested = depth > 1 && c.chance(0.3) ? ` AND ${this.#subqueryPredicate(inner, depth - 1)}` : '';
    const also = c.chance(0.4) ? optional(` AND ${this.#values.comparison(inner.columns)}`) : '';
    const where = ` WHERE ${correlation}${also}${optional(nested)}`;
    const keys = this.#values.commonKeys(from, inner);
    const exists = `${c.pick(['', 'NOT '])}EXISTS (SELECT 1 FROM ${inner.sql}${where})`;
    if (keys === undefined) return exists;
    const [mine, theirs] = keys;
    const compared = ORDERED.has(mine.kind) ? c.pick(['=', '<', '>=', '<>']) : '=';
    const aggregate = aggregateOf(c, inner.columns, mine.kind);
    return c.weighted([
      [3, exists],
      [3, `${mine.sql} IN (SELECT ${theirs.sql} FROM ${inner.sql}${where})`],
      [3, `${mine.sql} NOT IN (SELECT ${theirs.sql} FROM ${inner.sql}${where})`],
      [
        1,
        `${mine.sql} ${compared} ${c.pick(['ANY', 'ALL'])} (SELECT ${theirs.sql} FROM ${inner.sql}${where})`,
      ],
      [
        2,
        aggregate.kind !== mine.kind
          ? exists
          : `${mine.sql} ${compared} (SELECT ${aggregate.sql} FROM ${inner.sql}${where})`,
      ],
      [
        1,
        `(${mine.sql} IN (SELECT ${theirs.sql} FROM ${inner.sql}${where})) IS ${c.pick(['NULL', 'NOT TRUE', 'NOT FALSE'])}`,
      ],
    ]);
  }

  /** Subqueries that return one value per row. */
  #scalar(from: Relation): Reference {
    const c = this.#choice;
    const inner = this.#relation(0);
    const where = ` WHERE ${this.#correlation(inner, from.columns)}`;
    const aggregate = aggregateOf(c, inner.columns);
    const texts = inner.columns.filter(({ kind }) => kind === 'text');
    return c.weighted<Reference>([
      [4, { sql: `(SELECT ${aggregate.sql} FROM ${inner.sql}${where})`, kind: aggregate.kind }],
      [1, { sql: `EXISTS (SELECT 1 FROM ${inner.sql}${where})`, kind: 'boolean' }],
      [
        1,
        {
          sql: `(SELECT ${this.#values.integer(inner)} FROM ${inner.sql}${where} ORDER BY 1 DESC NULLS LAST LIMIT 1)`,
          kind: 'big',
        },
      ],
      [
        texts.length > 0 ? 1 : 0,
        {
          sql: `ARRAY(SELECT ${texts[0]?.sql} FROM ${inner.sql}${where} ORDER BY 1 NULLS LAST)`,
          kind: 'texts',
        },
      ],
    ]);
  }

  #select(values: readonly Reference[]): { items: string; columns: { name: string; kind: Kind }[] } {
    const shown = values.map(shownValue);
    return {
      items: shown.map(({ sql }, i) => `${sql} AS x${i}`).join(', '),
      columns: shown.map(({ kind }, i) => ({ name: `x${i}`, kind })),
    };
  }

  #plain(from: Relation, where: string, depth: number) {
    const c = this.#choice;
    const values = c
      .some(from.columns, 1, 4)
      .map(({ kind }) => ({ kind, sql: this.#values.value(kind, from.columns) }));
    if (depth > 0 && c.chance(0.25) && from.rows < 3_000) values.push(this.#scalar(from));
    const { items, columns } = this.#select(values);
    const distinct = c.chance(0.25) ? optional('DISTINCT ') : '';
    return { sql: `SELECT ${distinct}${items} FROM ${from.sql}${where}`, columns, rows: from.rows };
  }

  #grouped(from: Relation, where: string, depth: number) {
    const c = this.#choice;
    const groups = c
      .some(from.columns, 0, 3)
      .map(({ kind }) => ({ kind, sql: asKey(this.#values.value(kind, from.columns)) }));
    const aggregates = Array.from({ length: c.between(1, 4) }, () => aggregateOf(c, from.columns));
    if (depth > 0 && c.chance(0.08)) aggregates.push(this.#scalarOverNothing());
    const keys = groups.map(({ sql }) => sql);
    const isDistinctKeys = new Set(keys).size === keys.length;
    const sets =
      keys.length > 0 && isDistinctKeys && c.chance(0.3)
        ? c.pick([
            `ROLLUP (${keys.join(', ')})`,
            `CUBE (${keys.join(', ')})`,
            `GROUPING SETS ((${keys.join(', ')}), (${keys[0]}), ())`,
            `GROUPING SETS ((), (${keys.at(-1)}))`,
          ])
        : keys.join(', ');
    const withGrouping = sets.includes('(') && /^(ROLLUP|CUBE|GROUPING)/.test(sets);
    const all: Reference[] = [...groups, ...aggregates];
    if (withGrouping && c.chance(0.5)) all.push({ sql: `GROUPING(${keys.join(', ')})`, kind: 'big' });
    const { items, columns } = this.#select(all);
    const having = c.chance(0.25)
      ? optional(
          ` HAVING ${c.pick([`COUNT(*) > ${c.between(1, 3)}`, `COUNT(DISTINCT ${from.columns[0]!.sql}) >= 2`])}`,
        )
      : '';
    return {
      sql: `SELECT ${items} FROM ${from.sql}${where}${keys.length === 0 ? '' : ` GROUP BY ${sets}`}${having}`,
      columns,
      rows: keys.length === 0 ? 1 : from.rows,
    };
  }

  #scalarOverNothing(): Reference {
    const inner = this.#relation(0);
    const { sql, kind } = aggregateOf(this.#choice, inner.columns);
    return { sql: `(SELECT ${sql} FROM ${inner.sql})`, kind };
  }

  #windowed(from: Relation, where: string) {
    const c = this.#choice;
    const windows = Array.from({ length: c.between(1, 3) }, (_, i) =>
      windowOf(c, from.columns, { mayNumber: i === 0 }),
    );
    const plain = c.some(from.columns, 1, 2);
    const { items, columns } = this.#select([...plain, ...windows]);
    const qualify = c.chance(0.15) ? optional(` QUALIFY ${windows[0]!.sql} IS NOT NULL`) : '';
    return { sql: `SELECT ${items} FROM ${from.sql}${where}${qualify}`, columns, rows: from.rows };
  }

  #distinctOn(from: Relation, where: string) {
    const c = this.#choice;
    const orderable = from.columns.filter(({ kind }) => ORDERED.has(kind));
    const on = c.some(orderable, 1, 2);
    const values = c.some(orderable, 1, 3);
    const { items, columns } = this.#select([...on, ...values]);
    const order = [...on, ...orderable].map(
      ({ sql }) => `${sql} ${c.pick(['NULLS FIRST', 'DESC NULLS LAST'])}`,
    );
    const inner = `SELECT DISTINCT ON (${on.map(({ sql }) => sql).join(', ')}) ${items} FROM ${from.sql}${where} ORDER BY ${order.join(', ')}`;
    return { sql: `SELECT * FROM (${inner}) AS ${this.#name('d')}`, columns, rows: from.rows };
  }

  #unnested(from: Relation, where: string) {
    const c = this.#choice;
    const lists = from.columns.filter(({ kind }) => kind === 'ints' || kind === 'texts');
    if (lists.length === 0) return this.#plain(from, where, 0);
    const list = c.pick(lists);
    const { items, columns } = this.#select(c.some(from.columns, 1, 2));
    const element: Kind = list.kind === 'ints' ? 'int' : 'text';
    return {
      sql: `SELECT ${items}, UNNEST(${list.sql}) AS u FROM ${from.sql}${where}`,
      columns: [...columns, { name: 'u', kind: element }],
      rows: from.rows * 2,
    };
  }
}

/** A literal as a key of GROUP BY, where it would be the position of a column, or invalid. */
const asKey = (sql: string): string =>
  /^(?:'[^']*'|TRUE|FALSE|-?[\d.]+)$/.test(sql) ? `COALESCE(${sql})` : sql;

/**
 * Bytes are printed differently on both sides, so their length is compared. A unique column is not unique
 * above a join.
 */
function shownValue({ sql, kind }: Reference): Reference {
  if (kind === 'bytes') return { sql: `octet_length(${sql})`, kind: 'big' };
  return { sql, kind: kind === 'unique' ? 'big' : kind };
}
