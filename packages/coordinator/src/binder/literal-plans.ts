import { isDeepStrictEqual } from 'node:util';
import { filledTemplate, type LiteralSkeleton, type LiteralTemplate, literalTemplate } from '@tessera/sql';
import type { BoundQuery } from '../read/bound-query.ts';

/** The state of learning about statements that differ in literals only. */
export interface LiteralPlan {
  /** The query that was bound last for one of them, and its literals. */
  readonly bound: BoundQuery;
  readonly literals: readonly string[];
  /** Undefined until two of them were bound and differed in their literals only. */
  readonly template: LiteralTemplate | undefined;
}

/** Whether a bound query depends on its literals through its text alone. */
const isIndependent = ({ isPlanned, tables, patterns, prepared }: BoundQuery): boolean =>
  (!isPlanned || tables.size === 0) &&
  patterns.length === 0 &&
  prepared.time === 'none' &&
  prepared.date === undefined &&
  prepared.sessionRelations.size === 0;

/** What is known after another statement of the kind was bound; undefined if it depends on its literals. */
export function literalPlan(
  known: LiteralPlan | undefined,
  bound: BoundQuery,
  { literals }: LiteralSkeleton,
): LiteralPlan | undefined {
  if (!isIndependent(bound)) return undefined;
  if (known === undefined || !meansTheSame(known.bound, bound))
    return { bound, literals, template: undefined };
  const before = { sql: known.bound.prepared.sql, literals: known.literals };
  const template = literalTemplate(before, { sql: bound.prepared.sql, literals });
  return { bound, literals, template };
}

/** Whether two bound queries differ in their SQL only. */
const meansTheSame = (a: BoundQuery, b: BoundQuery): boolean =>
  a.named.length === b.named.length &&
  a.named.every(({ object }, i) => object === b.named[i]!.object) &&
  isDeepStrictEqual([...a.tables.keys()], [...b.tables.keys()]) &&
  isDeepStrictEqual(a.prepared.columns, b.prepared.columns) &&
  isDeepStrictEqual(a.prepared.tables, b.prepared.tables) &&
  isDeepStrictEqual(a.prepared.namedColumns, b.prepared.namedColumns) &&
  isDeepStrictEqual(a.prepared.indexes, b.prepared.indexes) &&
  isDeepStrictEqual(a.prepared.parameters, b.prepared.parameters) &&
  a.prepared.unstable === b.prepared.unstable &&
  a.prepared.fewRows === b.prepared.fewRows &&
  a.prepared.readsNothing === b.prepared.readsNothing;

/** The query for a statement with other literals; undefined if it must be bound. */
export function withLiterals(
  { bound, template }: LiteralPlan,
  { literals }: LiteralSkeleton,
): BoundQuery | undefined {
  const sql = template && filledTemplate(template, literals);
  if (sql === undefined) return undefined;
  // The other forms of the query contain the literals that it was bound with, and are only needed for a plan.
  const prepared = { ...bound.prepared, sql, boundSql: undefined, topRows: undefined };
  return { ...bound, prepared, uses: 0 };
}
