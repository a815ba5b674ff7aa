import { aggregateOf, ORDERED } from './random-aggregate.ts';
import type { RandomChoice } from './random-choice.ts';
import type { Kind } from './random-tables.ts';
import type { RandomValues, Relation } from './random-values.ts';
import { optional } from './reduced.ts';

/** No relation of a query should have many more rows. */
export const MANY_ROWS = 20_000;

interface Parts {
  /** A relation with at most this many levels. */
  readonly relation: (depth: number) => Relation;
  /** A name that is not yet used in the query. */
  readonly name: (prefix: string) => string;
}

/** Kinds whose equality plain DuckDB's ASOF join gets wrong, and which the engine refuses there. */
const NOT_IN_ASOF: ReadonlySet<Kind> = new Set(['bytes', 'ints', 'texts']);

/** Generates joins of relations. */
export class RandomJoins {
  readonly #choice: RandomChoice;
  readonly #values: RandomValues;
  readonly #parts: Parts;

  constructor(choice: RandomChoice, values: RandomValues, parts: Parts) {
    this.#choice = choice;
    this.#values = values;
    this.#parts = parts;
  }

  join(left: Relation, depth: number): Relation {
    const c = this.#choice;
    if (depth > 0 && c.chance(0.12)) return this.#lateral(left);
    const right = this.#parts.relation(depth - 1);
    const keys = this.#values.commonKeys(left, right);
    if (keys === undefined || (left.rows * right.rows) / 4 > MANY_ROWS * 20) return left;
    const kind = c.weighted([
      [5, 'JOIN'],
      [4, 'LEFT JOIN'],
      [2, 'RIGHT JOIN'],
      [3, 'FULL JOIN'],
      [2, 'SEMI JOIN'],
      [2, 'ANTI JOIN'],
      [1, 'ASOF JOIN'],
      [1, 'ASOF LEFT JOIN'],
      [1, 'CROSS JOIN'],
    ] as const);
    const columns =
      kind === 'SEMI JOIN' || kind === 'ANTI JOIN' ? left.columns : [...left.columns, ...right.columns];
    if (kind === 'CROSS JOIN') {
      if (left.rows * right.rows > MANY_ROWS) return left;
      return { sql: `${left.sql} CROSS JOIN ${right.sql}`, columns, rows: left.rows * right.rows };
    }
    const rows = Math.max(left.rows, right.rows, (left.rows * right.rows) / 4);
    if (rows > MANY_ROWS * 5) return left;
    const [a, b] = keys;
    const equal = c.chance(0.1) ? `${a.sql} IS NOT DISTINCT FROM ${b.sql}` : `${a.sql} = ${b.sql}`;
    if (kind.startsWith('ASOF')) {
      const near = this.#asofKey(left, right);
      if (near === undefined || NOT_IN_ASOF.has(a.kind)) return left;
      return {
        sql: `${left.sql} ${kind} ${right.sql} ON ${a.sql} = ${b.sql} AND ${near}`,
        columns,
        rows: left.rows,
      };
    }
    const more = this.#values.commonKeys(left, right);
    const also = more !== undefined && c.chance(0.4);
    const residual = !also
      ? ''
      : ` AND ${more[0].sql} ${ORDERED.has(more[0].kind) ? c.pick(['=', '<', '<>', '>=']) : '='} ${more[1].sql}`;
    return {
      sql: `${left.sql} ${kind} ${right.sql} ON ${equal}${optional(residual)}`,
      columns,
      rows: also ? rows / 3 : rows,
    };
  }

  /**
   * The nearest row must be unique. There is no NULL on the left side: plain DuckDB's ASOF join treats it as
   * the largest value.
   */
  #asofKey(left: Relation, right: Relation): string | undefined {
    const [a, b] = [left, right].map(({ columns, sql }) =>
      sql.includes('JOIN') ? undefined : columns.find(({ kind }) => kind === 'unique'),
    );
    return a === undefined || b === undefined ? undefined : `${a.sql} >= ${b.sql}`;
  }

  #lateral(left: Relation): Relation {
    const c = this.#choice;
    const inner = this.#parts.relation(0);
    const keys = this.#values.commonKeys(left, inner);
    if (keys === undefined || left.rows * inner.rows > MANY_ROWS * 20) return left;
    const alias = this.#parts.name('l');
    const on = `${keys[1].sql} ${ORDERED.has(keys[0].kind) ? c.pick(['=', '=', '<', '>=']) : '='} ${keys[0].sql}`;
    const aggregate = aggregateOf(c, inner.columns);
    const sql = c.chance(0.6)
      ? `(SELECT ${aggregate.sql} AS v FROM ${inner.sql} WHERE ${on}) AS ${alias}`
      : `(SELECT ${this.#values.integer(inner)} AS v FROM ${inner.sql} WHERE ${on} ORDER BY 1 NULLS LAST LIMIT ${c.between(1, 3)}) AS ${alias}`;
    const kind: Kind = sql.includes('LIMIT') ? 'big' : aggregate.kind;
    const join = c.pick([`CROSS JOIN LATERAL ${sql}`, `LEFT JOIN LATERAL ${sql} ON TRUE`]);
    return {
      sql: `${left.sql} ${join}`,
      columns: [...left.columns, { sql: `${alias}.v`, kind }],
      rows: left.rows * 2,
    };
  }
}
