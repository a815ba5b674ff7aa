import { ORDERED } from './random-aggregate.ts';
import type { RandomChoice } from './random-choice.ts';
import { type Kind, literalOf } from './random-tables.ts';
import type { Reference } from './reference.ts';

/** A relation for FROM; `rows` is its approximate number of rows. */
export interface Relation {
  readonly sql: string;
  readonly columns: readonly Reference[];
  readonly rows: number;
}

const INTEGERS: ReadonlySet<Kind> = new Set(['unique', 'int', 'big']);

/** Generates expressions over the columns of one row. */
export class RandomValues {
  readonly #choice: RandomChoice;

  constructor(choice: RandomChoice) {
    this.#choice = choice;
  }

  castTo(kind: Kind, sql: string): string {
    const types: Partial<Record<Kind, string>> = {
      decimal: 'DECIMAL(20, 4)',
      big: 'BIGINT',
      unique: 'BIGINT',
      int: 'INTEGER',
    };
    return kind in types ? `CAST(${sql} AS ${types[kind]})` : sql;
  }

  integer(relation: Relation): string {
    return `CAST(${this.value('int', relation.columns)} AS BIGINT)`;
  }

  commonKeys(left: Relation, right: Relation): readonly [Reference, Reference] | undefined {
    const c = this.#choice;
    const like = (a: Kind, b: Kind) => a === b || (INTEGERS.has(a) && INTEGERS.has(b) && c.chance(0.2));
    const pairs = left.columns.flatMap((a) =>
      right.columns.filter((b) => like(a.kind, b.kind)).map((b) => [a, b] as const),
    );
    return pairs.length === 0 ? undefined : c.pick(pairs);
  }

  value(kind: Kind, columns: readonly Reference[]): string {
    const c = this.#choice;
    const own = columns.filter((column) => column.kind === kind);
    if (own.length === 0 || c.chance(0.05)) return literalOf(kind, c);
    const { sql } = c.pick(own);
    if (c.chance(0.1)) return `COALESCE(${sql}, ${literalOf(kind, c)})`;
    if (c.chance(0.05)) return `CASE WHEN ${this.comparison(columns)} THEN ${sql} END`;
    if ((kind === 'int' || kind === 'unique') && c.chance(0.2)) return `(${sql} % ${c.between(2, 5)})`;
    if (kind === 'text' && c.chance(0.15))
      return c.pick([`upper(${sql})`, `substring(${sql}, 1, 2)`, `(${sql} || 'x')`]);
    return sql;
  }

  comparison(columns: readonly Reference[]): string {
    const c = this.#choice;
    const { sql, kind } = c.pick(columns);
    if (c.chance(0.15)) return `${sql} IS ${c.pick(['', 'NOT '])}NULL`;
    if (kind === 'boolean' && c.chance(0.5)) return sql;
    const operator = ORDERED.has(kind) ? c.pick(['=', '<>', '<', '<=', '>', '>=']) : c.pick(['=', '<>']);
    if (c.chance(0.1))
      return `${sql} ${c.pick(['', 'NOT '])}IN (${literalOf(kind, c)}, ${c.pick([literalOf(kind, c), 'NULL'])})`;
    if (c.chance(0.1)) return `${sql} IS ${c.pick(['', 'NOT '])}DISTINCT FROM ${this.value(kind, columns)}`;
    return `${sql} ${operator} ${c.chance(0.4) ? this.value(kind, columns) : literalOf(kind, c)}`;
  }
}
