import type { PlanExpression, PlanOperator, PlanType } from '../../plan-nodes.ts';
import { expressionType } from '../expressions/expression-type.ts';
import { columnOf } from '../expressions/references.ts';
import type { Relation, SharedReference } from '../relation.ts';
import { unsupported } from '../unsupported-plan.ts';
import { type BoundRelation, bindingsOf, type ReadScope, resolvedAll } from './bound-relation.ts';
import { comparisonJoin, type PlanJoin } from './join.ts';

type PlanDelimJoin = PlanJoin & {
  readonly duplicate_eliminated_columns?: readonly PlanExpression[];
  readonly delim_flipped?: boolean;
};

/**
 * Reads a DELIM_JOIN. One side is computed once and shared: the join reads it, and the DELIM_GETs of the
 * other side read the distinct values of its duplicate-eliminated columns.
 */
export function readDelimJoin(node: PlanDelimJoin, scope: ReadScope): BoundRelation {
  const [left, right] = node.children ?? [];
  if (left === undefined || right === undefined) return unsupported('a DELIM_JOIN without its inputs');
  const isFlipped = node.delim_flipped === true;
  const definition = scope.read(isFlipped ? right : left, scope);
  const id = scope.nextId();
  const { columns } = definition.relation;
  const keys = resolvedAll(node.duplicate_eliminated_columns, [definition]);
  const other = scope.read(isFlipped ? left : right, { ...scope, delim: { id, keys, columns } });
  if (!refersTo(other.relation, id))
    return comparisonJoin(node, ...(isFlipped ? pair(other, definition) : pair(definition, other)));
  const reference: SharedReference = { kind: 'reference', id, columns };
  const shared: BoundRelation = { relation: reference, bindings: definition.bindings };
  const body = comparisonJoin(node, ...(isFlipped ? pair(other, shared) : pair(shared, other)));
  return {
    relation: {
      kind: 'shared',
      id,
      name: 'outer',
      definition: definition.relation,
      body: body.relation,
      columns: body.relation.columns,
    },
    bindings: body.bindings,
  };
}

const pair = (a: BoundRelation, b: BoundRelation): [BoundRelation, BoundRelation] => [a, b];

function refersTo(relation: Relation, id: number): boolean {
  if (relation.kind === 'reference') return relation.id === id;
  return Object.values(relation).some((field) =>
    (Array.isArray(field) ? field : [field]).some(
      (inner) =>
        typeof inner === 'object' && inner !== null && 'kind' in inner && refersTo(inner as Relation, id),
    ),
  );
}

/** The distinct values of the nearest DELIM_JOIN's duplicate-eliminated columns. */
export function readDelimScan(
  node: PlanOperator & { readonly table_index?: number; readonly chunk_types?: readonly PlanType[] },
  { delim }: ReadScope,
): BoundRelation {
  if (delim === undefined) return unsupported('a DELIM_GET outside of a DELIM_JOIN');
  const { id, keys, columns: shared } = delim;
  const types = node.chunk_types ?? [];
  if (keys.length !== types.length || keys.some((key, i) => expressionType(key).id !== types[i]?.id))
    return unsupported('a DELIM_GET of other columns than those of its DELIM_JOIN');
  const columns = keys.map((key) => columnOf(key, shared));
  return {
    relation: {
      kind: 'distinct',
      input: {
        kind: 'project',
        input: { kind: 'reference', id, columns: shared },
        expressions: keys,
        columns,
      },
      order: [],
      columns,
    },
    bindings: bindingsOf(node.table_index, columns),
  };
}
