import type { ColumnRefNode, Expression, QueryNode, SelectNode } from '../tree.ts';
import {
  type CatalogColumns,
  type ColumnFacts,
  type ColumnScope,
  commonFacts,
  fromScope,
  type KnownRelations,
  NOTHING_KNOWN,
  renamed,
  type SelectedColumn,
} from './column-scope.ts';
import { isJsonb } from './jsonb-type.ts';
import { VALUE_TEXTS, valueKind } from './value-kind.ts';

/** What the text of a query and the catalog's declarations prove about each of its `count` columns. */
export function columnFacts(
  node: QueryNode,
  count: number,
  catalog: CatalogColumns = () => undefined,
): readonly ColumnFacts[] {
  const columns = knownFrom(catalog).subquery(node);
  return columns?.length === count ? columns : Array.from({ length: count }, () => NOTHING_KNOWN);
}

/** Returns the relations that a query can name if no other query surrounds it. */
export function knownFrom(catalog: CatalogColumns): KnownRelations {
  const known: KnownRelations = {
    catalog,
    cte: () => undefined,
    subquery: (node) => queryColumns(node, known),
  };
  return known;
}

/** Returns the relations that can be named inside of a query: its common table expressions hide those of the queries around it. */
export function knownIn({ cte_map }: QueryNode, around: KnownRelations): KnownRelations {
  if (cte_map.map.length === 0) return around;
  const ctes = new Map(cte_map.map.map(({ key, value }) => [key.toLowerCase(), value]));
  const found = new Map<string, readonly SelectedColumn[] | undefined>();
  const known: KnownRelations = {
    catalog: around.catalog,
    subquery: (node) => queryColumns(node, known),
    cte: (name) => {
      const key = name.toLowerCase();
      const cte = ctes.get(key);
      if (cte === undefined) return around.cte(name);
      if (found.has(key)) return found.get(key);
      // A recursive query reads itself.
      found.set(key, undefined);
      const columns = renamed(queryColumns(cte.query.node, known), cte.aliases);
      found.set(key, columns);
      return columns;
    },
  };
  return known;
}

/** The columns of a query; undefined if they are unknown. */
function queryColumns(node: QueryNode, around: KnownRelations): readonly SelectedColumn[] | undefined {
  const known = knownIn(node, around);
  if (node.type === 'SELECT_NODE') return selectedColumns(node, known);
  if (node.type === 'RECURSIVE_CTE_NODE') return columnsOfRecursion(queryColumns(node.left, known));
  if (node.type !== 'SET_OPERATION_NODE' || node.setop_type === 'UNION_BY_NAME') return undefined;
  const branches = (node.children ?? [node.left, node.right]).map((branch) => queryColumns(branch, known));
  return branches.reduce((left, right) =>
    left === undefined || left.length !== right?.length
      ? undefined
      : left.map((column, i) => ({ ...commonFacts(column, right[i]!), name: column.name })),
  );
}

/** The columns of a recursive query have the types of its first rows. */
const columnsOfRecursion = (first: readonly SelectedColumn[] | undefined) =>
  first?.map((column) => ({
    ...column,
    notNull: false,
    kind: column.kind === 'null' ? 'unknown' : column.kind,
  }));

/** The columns that a SELECT returns; undefined if a star expands to unknown columns. */
function selectedColumns(node: SelectNode, known: KnownRelations): readonly SelectedColumn[] | undefined {
  const scope = fromScope(node.from_table, known);
  // A grouping set that omits a key returns NULL for it, and any expression, even a constant, may be a key.
  const certain =
    node.group_sets.length > 1
      ? isCount
      : (item: Expression) => isNotNull(item, (ref) => scope.column(ref)?.notNull === true);
  const columns: SelectedColumn[] = [];
  for (const item of node.select_list) {
    if (item.class !== 'STAR') {
      const kind = valueKind(item, (ref) => scope.column(ref)?.kind);
      const type = item.class === 'COLUMN_REF' ? scope.column(item)?.type : undefined;
      const declared = declaredType(item, scope);
      columns.push({ name: nameOf(item), notNull: certain(item), declared, kind, type });
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
    // A parameter that is still here belongs to a generic plan, whose parameters never become NULL.
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
