import type { PlanExpression, PlanOperator } from '../../plan-nodes.ts';
import { mapExpression, reference } from '../expressions/references.ts';
import type { Relation, RelationColumn } from '../relation.ts';
import { unsupported } from '../unsupported-plan.ts';

/** The kernel binder's number of a column: table and column index. */
export interface Binding {
  readonly table: number;
  readonly column: number;
}

/** A relation with the binder's numbers of its columns. */
export interface BoundRelation {
  readonly relation: Relation;
  readonly bindings: readonly Binding[];
}

/** The context in which an operator is read. */
export interface ReadScope {
  readonly read: (node: PlanOperator, scope: ReadScope) => BoundRelation;
  /** Returns a new id for a shared relation; ids count up from 0 in a plan. */
  readonly nextId: () => number;
  /** CTEs by the kernel's index, with their columns. */
  readonly shared: ReadonlyMap<number, SharedColumns>;
  /** The nearest DELIM_JOIN on whose other side the operator is. */
  readonly delim?: { readonly id: number; readonly keys: readonly PlanExpression[] } & SharedColumns;
}

export interface SharedColumns {
  readonly id: number;
  readonly columns: readonly RelationColumn[];
  readonly recurringId?: number | undefined;
}

export const bindingsOf = (table: number | undefined, columns: readonly unknown[]): readonly Binding[] =>
  columns.map((_, column) => ({ table: Number(table ?? 0), column }));

/** Reads the only child of an operator. */
export function readInput(node: PlanOperator, scope: ReadScope): BoundRelation {
  const [child, ...others] = node.children ?? [];
  if (child === undefined || others.length > 0) return unsupported(`the inputs of ${node.type}`);
  return scope.read(child, scope);
}

/** Reads the two children of an operator. */
export function readInputs(node: PlanOperator, scope: ReadScope): readonly [BoundRelation, BoundRelation] {
  const [left, right, ...others] = node.children ?? [];
  if (left === undefined || right === undefined || others.length > 0)
    return unsupported(`the inputs of ${node.type}`);
  return [scope.read(left, scope), scope.read(right, scope)];
}

/** The expression with references by position only. */
export function resolved(expression: PlanExpression, inputs: readonly BoundRelation[]): PlanExpression {
  return mapExpression(expression, (inner) => {
    if (inner.type !== 'BOUND_COLUMN_REF') return undefined;
    const { table_index, column_index } = inner.binding ?? {};
    const [table, column] = [Number(table_index ?? 0), Number(column_index ?? 0)];
    const bindings = inputs.flatMap((input) => input.bindings);
    const index = bindings.findIndex((b) => b.table === table && b.column === column);
    if (index < 0 || inner.return_type === undefined) return unsupported('a column that no input gives');
    return reference(index, inner.return_type, inner.alias);
  });
}

export const resolvedAll = (
  expressions: readonly PlanExpression[] | undefined,
  inputs: readonly BoundRelation[],
): readonly PlanExpression[] => (expressions ?? []).map((expression) => resolved(expression, inputs));

/** The columns of a relation selected by a map; an absent or empty map selects all. */
export function mappedColumns(input: BoundRelation, map: readonly number[] | undefined): BoundRelation {
  if (map === undefined || map.length === 0) return input;
  const { columns } = input.relation;
  const picked = map.map((index) => columns[index] ?? unsupported('a projection map beyond the columns'));
  return {
    relation: {
      kind: 'project',
      input: input.relation,
      expressions: map.map((index, i) =>
        reference(Number(index), (picked[i] as RelationColumn).type, picked[i]?.name),
      ),
      columns: picked,
    },
    bindings: map.flatMap((index) => input.bindings[index] ?? []),
  };
}
