import type { Comparison } from '../comparisons.ts';
import type { PlanExpression, PlanType } from '../plan-nodes.ts';

/**
 * The bound, optimised plan as a tree of relations. An expression is the kernel's own bound expression; a
 * `BOUND_REF` in it is a position in the columns of the relation's inputs, left before right. `columns` are
 * the columns of the relation.
 */
export type Relation =
  | ScanRelation
  | SessionRelation
  | InputRelation
  | FunctionRelation
  | ValuesRelation
  | FilterRelation
  | ProjectRelation
  | JoinRelation
  | PositionalJoinRelation
  | AggregateRelation
  | DistinctRelation
  | WindowRelation
  | SortRelation
  | LimitRelation
  | SampleRelation
  | SetRelation
  | UnnestRelation
  | SharedRelation
  | SharedReference
  | RecursiveRelation;

export interface RelationColumn {
  /** The name in the plan, for EXPLAIN; names may repeat. */
  readonly name: string;
  readonly type: PlanType;
}

interface Columns {
  readonly columns: readonly RelationColumn[];
}

/**
 * A scan of a managed table. `names` are the table's columns that `columns` represent (possibly including
 * `$tablet` and `$row`).
 */
export interface ScanRelation extends Columns {
  readonly kind: 'scan';
  /** The bound name, without the schema. */
  readonly relation: string;
  readonly names: readonly string[];
}

/**
 * A relation that only the session of the query has: uploads, views of information_schema, files. `names` as
 * for a scan.
 */
export interface SessionRelation extends Columns {
  readonly kind: 'session';
  /** The SQL for FROM. */
  readonly sql: string;
  readonly names: readonly string[];
}

/** The output of another stage. */
export interface InputRelation extends Columns {
  readonly kind: 'input';
  readonly id: number;
}

/** A table function of the kernel whose rows depend only on its arguments (`range`, `generate_series`, …). */
export interface FunctionRelation extends Columns {
  readonly kind: 'function';
  readonly name: string;
  readonly arguments: readonly PlanExpression[];
  readonly namedArguments: Readonly<Record<string, PlanExpression>>;
  /** The rows to call it for, if its arguments refer to any; their columns follow those of the function. */
  readonly input?: Relation | undefined;
}

export interface ValuesRelation extends Columns {
  readonly kind: 'values';
  /** A list of rows. One row without columns is a single empty row; an empty list is the empty relation. */
  readonly rows: readonly (readonly PlanExpression[])[];
}

export interface FilterRelation extends Columns {
  readonly kind: 'filter';
  readonly input: Relation;
  readonly predicates: readonly PlanExpression[];
}

export interface ProjectRelation extends Columns {
  readonly kind: 'project';
  readonly input: Relation;
  readonly expressions: readonly PlanExpression[];
}

/**
 * `mark` adds one BOOLEAN column to the left columns (IN with its NULLs). `single` adds the right columns and
 * fails if a left row has more than one match. `semi` and `anti` return the left columns, `right_semi` and
 * `right_anti` the right ones. A cross product is an inner join without conditions.
 */
export type JoinType =
  | 'inner'
  | 'left'
  | 'right'
  | 'full'
  | 'semi'
  | 'anti'
  | 'right_semi'
  | 'right_anti'
  | 'mark'
  | 'single';

export interface JoinCondition {
  readonly comparison: Comparison;
  /** References are positions in the columns of the left input. */
  readonly left: PlanExpression;
  /** References are positions in the columns of the right input. */
  readonly right: PlanExpression;
}

export interface JoinRelation extends Columns {
  readonly kind: 'join';
  readonly type: JoinType;
  readonly left: Relation;
  readonly right: Relation;
  readonly conditions: readonly JoinCondition[];
  /** Additional conditions; references are positions in the left and right columns together. */
  readonly residual: readonly PlanExpression[];
  /** Whether one of `conditions`, an inequality, selects only the nearest row (ASOF JOIN). */
  readonly isAsof: boolean;
}

export interface PositionalJoinRelation extends Columns {
  readonly kind: 'positional_join';
  readonly left: Relation;
  readonly right: Relation;
}

/**
 * Returns the groups, then the aggregates (`BOUND_AGGREGATE`), then one column for each of `groupingCalls`.
 */
export interface AggregateRelation extends Columns {
  readonly kind: 'aggregate';
  readonly input: Relation;
  readonly groups: readonly PlanExpression[];
  /**
   * Positions in `groups`. A single set with all of them is a plain GROUP BY; a single empty set means no
   * GROUP BY.
   */
  readonly groupingSets: readonly (readonly number[])[];
  readonly aggregates: readonly PlanExpression[];
  /** The arguments of each GROUPING(…) call: positions in `groups`. */
  readonly groupingCalls: readonly (readonly number[])[];
}

/** DISTINCT, or DISTINCT ON `on`, which keeps the first row by `order`. */
export interface DistinctRelation extends Columns {
  readonly kind: 'distinct';
  readonly input: Relation;
  readonly on?: readonly PlanExpression[] | undefined;
  readonly order: readonly SortKey[];
}

/** Returns the input's columns, then one for each of `windows` (`BOUND_WINDOW`). */
export interface WindowRelation extends Columns {
  readonly kind: 'window';
  readonly input: Relation;
  readonly windows: readonly PlanExpression[];
}

export interface SortKey {
  readonly expression: PlanExpression;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

export interface SortRelation extends Columns {
  readonly kind: 'sort';
  readonly input: Relation;
  readonly keys: readonly SortKey[];
}

/**
 * Above a sort, it keeps the first rows. Its numbers are expressions over no row, or over columns of the
 * input that have the same value in every row (`LIMIT (SELECT …)`).
 */
export interface LimitRelation extends Columns {
  readonly kind: 'limit';
  readonly input: Relation;
  readonly limit?: PlanExpression | undefined;
  readonly isPercent: boolean;
  readonly offset?: PlanExpression | undefined;
}

export interface SampleRelation extends Columns {
  readonly kind: 'sample';
  readonly input: Relation;
  /** The text after USING SAMPLE. */
  readonly sql: string;
}

export interface SetRelation extends Columns {
  readonly kind: 'set';
  readonly operation: 'union' | 'intersect' | 'except';
  readonly isAll: boolean;
  /** Exactly two for INTERSECT and EXCEPT; their columns have the same types. */
  readonly inputs: readonly Relation[];
}

/** Returns the input's columns, then one for each of `unnests` (`BOUND_UNNEST`), with one row per element. */
export interface UnnestRelation extends Columns {
  readonly kind: 'unnest';
  readonly input: Relation;
  readonly unnests: readonly PlanExpression[];
}

/**
 * `definition` is computed once and read by every `SharedReference` with its id in `body`. Used for CTEs, and
 * for what a DELIM_JOIN shares between its sides.
 */
export interface SharedRelation extends Columns {
  readonly kind: 'shared';
  readonly id: number;
  readonly name: string;
  readonly definition: Relation;
  readonly body: Relation;
}

export interface SharedReference extends Columns {
  readonly kind: 'reference';
  /** The id of a shared relation, or of the recursive relation whose working table this is. */
  readonly id: number;
}

export interface RecursiveRelation extends Columns {
  readonly kind: 'recursive';
  readonly id: number;
  readonly anchor: Relation;
  /** References to `id` in it are the rows of the previous step. */
  readonly step: Relation;
  /** References to it are all rows so far (`recurring.` of USING KEY). */
  readonly recurringId?: number | undefined;
  readonly isUnionAll: boolean;
  /** USING KEY: positions in `columns`. */
  readonly keys?: readonly number[] | undefined;
}
