import type { PlanExpression, PlanOperator, PlanType, PlanValue } from '../../plan-nodes.ts';
import { INTEGER } from '../expressions/expression-type.ts';
import { references } from '../expressions/references.ts';
import type { Relation, RelationColumn, ValuesRelation } from '../relation.ts';
import { unsupported } from '../unsupported-plan.ts';
import { type BoundRelation, bindingsOf, type ReadScope, readInput, resolvedAll } from './bound-relation.ts';

type Indexed = PlanOperator & { readonly table_index?: number };

const unnamed = (types: readonly PlanType[] | undefined): readonly RelationColumn[] =>
  (types ?? []).map((type, i) => ({ name: `col${i}`, type }));

/**
 * Reads constant rows that the optimiser created, such as those of a long IN list; they are stored by column.
 */
export function readColumnData(
  node: Indexed & {
    readonly chunk_types?: readonly PlanType[];
    readonly collection?: { readonly values?: readonly (readonly PlanValue[])[] };
  },
): BoundRelation {
  const columns = unnamed(node.chunk_types);
  const values = node.collection?.values ?? [];
  if (values.length !== columns.length) return unsupported('rows without their columns');
  const rows = (values[0] ?? []).map((_, row) =>
    values.map((column, i): PlanExpression => {
      const value = column[row] ?? unsupported('rows of several widths');
      return { type: 'VALUE_CONSTANT', value: { ...value, type: (columns[i] as RelationColumn).type } };
    }),
  );
  return { relation: { kind: 'values', rows, columns }, bindings: bindingsOf(node.table_index, columns) };
}

/**
 * Reads VALUES: for every row of the input, usually the single row of a DUMMY_SCAN, one row per list of
 * expressions.
 */
export function readExpressionGet(
  node: Omit<Indexed, 'expressions'> & {
    readonly expr_types?: readonly PlanType[];
    readonly expressions?: readonly (readonly PlanExpression[])[];
  },
  scope: ReadScope,
): BoundRelation {
  const input = readInput({ type: node.type, children: node.children ?? [] }, scope);
  const columns = unnamed(node.expr_types);
  const rows = (node.expressions ?? []).map((row) => resolvedAll(row, [input]));
  if (rows.length === 0 || rows.some((row) => row.length !== columns.length))
    return unsupported('VALUES of several widths');
  const bindings = bindingsOf(node.table_index, columns);
  const isConstant = isDummy(input.relation) && rows.every((row) => references(...row).size === 0);
  if (isConstant) return { relation: { kind: 'values', rows, columns }, bindings };
  // The input occurs once per row of expressions, so it must be cheap to compute repeatedly.
  if (rows.length > 1 && !isCheap(input.relation)) return unsupported('VALUES over rows of something else');
  const projections = rows.map(
    (expressions): Relation => ({ kind: 'project', input: input.relation, expressions, columns }),
  );
  const [only, ...others] = projections;
  return {
    relation:
      others.length === 0 && only !== undefined
        ? only
        : { kind: 'set', operation: 'union', isAll: true, inputs: projections, columns },
    bindings,
  };
}

const isDummy = (relation: Relation): boolean => relation.kind === 'values' && relation.rows.length === 1;

function isCheap(relation: Relation): boolean {
  switch (relation.kind) {
    case 'reference':
    case 'values':
      return true;
    case 'distinct':
    case 'project':
      return isCheap(relation.input);
    default:
      return false;
  }
}

/** Reads one row. Its only column is never used, but counts when columns are numbered. */
export function readDummyScan(node: Indexed): BoundRelation {
  const columns: readonly RelationColumn[] = [{ name: 'dummy', type: INTEGER }];
  const nothing: PlanExpression = { type: 'VALUE_CONSTANT', value: { type: INTEGER, is_null: true } };
  const relation: ValuesRelation = { kind: 'values', rows: [[nothing]], columns };
  return { relation, bindings: bindingsOf(node.table_index, columns) };
}

export function readEmptyResult(
  node: PlanOperator & {
    readonly return_types?: readonly PlanType[];
    readonly bindings?: readonly { readonly table_index?: number; readonly column_index?: number }[];
  },
): BoundRelation {
  return {
    relation: { kind: 'values', rows: [], columns: unnamed(node.return_types) },
    bindings: (node.bindings ?? []).map(({ table_index, column_index }) => ({
      table: Number(table_index ?? 0),
      column: Number(column_index ?? 0),
    })),
  };
}
