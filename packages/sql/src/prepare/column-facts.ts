import type { ColumnRefNode, Expression, QueryNode, SelectNode } from '../tree.ts';
import {
  type CatalogColumns,
  type ColumnFacts,
  type ColumnScope,
  fromScope,
  NOTHING_KNOWN,
  type SelectedColumn,
} from './column-scope.ts';
import { isJsonb } from './jsonb-type.ts';
import { commonKind, VALUE_TEXTS, valueKind } from './value-kind.ts';

/** What the text of a query and the catalog's declarations prove about each of its `count` columns. */
export function columnFacts(
  node: QueryNode,
  count: number,
  catalog: CatalogColumns = () => undefined,
): readonly ColumnFacts[] {
  const unknown = Array.from({ length: count }, () => NOTHING_KNOWN);
  if (node.type === 'SET_OPERATION_NODE' && node.left !== undefined && node.right !== undefined) {
    if (node.setop_type === 'UNION_BY_NAME') return unknown;
    const right = columnFacts(node.right, count, catalog);
    return columnFacts(node.left, count, catalog).map((left, i) => ({
      notNull: left.notNull && right[i]!.notNull,
      declared: left.declared === right[i]!.declared ? left.declared : undefined,
      kind: commonKind([left.kind, right[i]!.kind]),
    }));
  }
  if (node.type !== 'SELECT_NODE') return unknown;
  const columns = selectedColumns(node, catalog);
  return columns?.length === count ? columns : unknown;
}

/** The columns that a SELECT returns; undefined if a star expands to unknown columns. */
export function selectedColumns(
  node: SelectNode,
  catalog: CatalogColumns,
): readonly SelectedColumn[] | undefined {
  const scope = fromScope(node.from_table, catalog, (inner) => selectedColumns(inner, catalog));
  // A grouping set that omits a key returns NULL for it, and any expression, even a constant, may be a key.
  const certain =
    node.group_sets.length > 1
      ? isCount
      : (item: Expression) => isNotNull(item, (ref) => scope.column(ref)?.notNull === true);
  const columns: SelectedColumn[] = [];
  for (const item of node.select_list) {
    if (item.class !== 'STAR') {
      const kind = valueKind(item, (ref) => scope.column(ref)?.kind);
      columns.push({ name: nameOf(item), notNull: certain(item), declared: declaredType(item, scope), kind });
      continue;
    }
    const expanded = starColumns(item, scope);
    if (expanded === undefined) return undefined;
    columns.push(...expanded);
  }
  return columns;
}

function declaredType(item: Expression, scope: ColumnScope): string | undefined {
  const declaredOf = (ref: ColumnRefNode) => scope.column(ref)?.declared;
  if (item.class === 'COLUMN_REF') return declaredOf(item);
  return isJsonb(item, declaredOf) ? 'jsonb' : undefined;
}

const nameOf = (item: Expression): string =>
  item.alias !== '' ? item.alias : item.class === 'COLUMN_REF' ? (item.column_names.at(-1) ?? '') : '';

function starColumns(
  item: Extract<Expression, { class: 'STAR' }>,
  scope: ColumnScope,
): readonly SelectedColumn[] | undefined {
  const isPlain =
    !item.columns &&
    item.expr === null &&
    item.exclude_list.length === 0 &&
    item.qualified_exclude_list.length === 0 &&
    item.replace_list.length === 0 &&
    item.rename_list.length === 0;
  return isPlain ? scope.columnsOf(item.relation_name) : undefined;
}

const COUNTS = new Set(['count', 'count_star', 'count_if', 'row_number', 'rank', 'dense_rank', 'ntile']);

const isCount = (node: Expression): boolean => node.class === 'FUNCTION' && COUNTS.has(node.function_name);

function isNotNull(node: Expression, column: (ref: ColumnRefNode) => boolean): boolean {
  const inner = (child: Expression) => isNotNull(child, column);
  switch (node.class) {
    case 'COLUMN_REF':
      return column(node);
    case 'CONSTANT':
      return !node.value.is_null;
    // Only open parameters are left at this point, and NULL never replaces those.
    case 'PARAMETER':
      return true;
    case 'CAST':
      return !node.try_cast && inner(node.child);
    case 'FUNCTION':
      return (
        isCount(node) ||
        // It returns no value at all: `coalesce(x, error('…'))` refuses NULL.
        node.function_name === 'error' ||
        (VALUE_TEXTS.has(node.function_name) && node.children.every(inner)) ||
        (node.is_operator && ARITHMETIC.has(node.function_name) && node.children.every(inner))
      );
    case 'WINDOW':
      return COUNTS.has(node.function_name);
    case 'OPERATOR':
      if (node.type === 'OPERATOR_IS_NULL' || node.type === 'OPERATOR_IS_NOT_NULL') return true;
      return node.type === 'OPERATOR_COALESCE' && node.children.some(inner);
    case 'COMPARISON':
      return inner(node.left) && inner(node.right);
    case 'CONJUNCTION':
      return node.children.every(inner);
    case 'CASE':
      return inner(node.else_expr) && node.case_checks.every(({ then_expr }) => inner(then_expr));
    default:
      return false;
  }
}

const ARITHMETIC = new Set(['+', '-', '*', '||']);
