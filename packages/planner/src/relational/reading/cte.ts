import type { PlanExpression, PlanOperator, PlanType } from '../../plan-nodes.ts';
import { isReference } from '../expressions/references.ts';
import type { RecursiveRelation, RelationColumn } from '../relation.ts';
import { unsupported } from '../unsupported-plan.ts';
import { type BoundRelation, bindingsOf, type ReadScope, type SharedColumns } from './bound-relation.ts';

type PlanCte = PlanOperator & { readonly table_index?: number; readonly ctename?: string };

export function readMaterializedCte(node: PlanCte, scope: ReadScope): BoundRelation {
  const [first, second] = node.children ?? [];
  if (first === undefined || second === undefined) return unsupported('a CTE without its parts');
  const definition = scope.read(first, scope).relation;
  const { columns } = definition;
  const id = scope.nextId();
  const body = scope.read(second, withShared(scope, node.table_index, { id, columns }));
  return {
    relation: {
      kind: 'shared',
      id,
      name: node.ctename ?? '',
      definition,
      body: body.relation,
      columns: body.relation.columns,
    },
    bindings: body.bindings,
  };
}

type PlanRecursiveCte = PlanCte & {
  readonly union_all?: boolean;
  readonly key_targets?: readonly PlanExpression[];
  readonly ref_recurring?: boolean;
};

export function readRecursiveCte(node: PlanRecursiveCte, scope: ReadScope): BoundRelation {
  const [first, second] = node.children ?? [];
  if (first === undefined || second === undefined) return unsupported('a recursive CTE without its parts');
  const anchor = scope.read(first, scope).relation;
  const { columns } = anchor;
  const id = scope.nextId();
  const recurringId = scope.nextId();
  const step = scope.read(second, withShared(scope, node.table_index, { id, columns, recurringId })).relation;
  const keys = (node.key_targets ?? []).map((key) =>
    isReference(key) ? key.index : unsupported('USING KEY over something else than columns'),
  );
  const relation: RecursiveRelation = {
    kind: 'recursive',
    id,
    anchor,
    step,
    ...(node.ref_recurring === true ? { recurringId } : {}),
    isUnionAll: node.union_all === true,
    ...(keys.length === 0 ? {} : { keys }),
    columns,
  };
  return { relation, bindings: bindingsOf(node.table_index, columns) };
}

export function readCteReference(
  node: PlanOperator & {
    readonly table_index?: number;
    readonly cte_index?: number;
    readonly chunk_types?: readonly PlanType[];
    readonly bound_columns?: readonly string[];
    readonly is_recurring?: boolean;
  },
  scope: ReadScope,
): BoundRelation {
  const shared = scope.shared.get(Number(node.cte_index ?? 0));
  if (shared === undefined) return unsupported('a reference to a CTE that is not there');
  const types = node.chunk_types ?? [];
  if (types.length !== shared.columns.length) return unsupported('a reference to a CTE of other columns');
  const columns = types.map((type, i): RelationColumn => ({ name: node.bound_columns?.[i] ?? '', type }));
  const id = node.is_recurring === true ? shared.recurringId : shared.id;
  if (id === undefined) return unsupported('a recurring reference to a CTE that is not recursive');
  return { relation: { kind: 'reference', id, columns }, bindings: bindingsOf(node.table_index, columns) };
}

const withShared = (scope: ReadScope, index: number | undefined, shared: SharedColumns): ReadScope => ({
  ...scope,
  shared: new Map(scope.shared).set(Number(index ?? 0), shared),
});
