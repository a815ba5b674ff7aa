import { isSameName } from '@tessera/common';
import { internalName } from '../functions/internal-macros.ts';
import {
  type ColumnRefNode,
  type Expression,
  isQueryNode,
  type QueryNode,
  type SelectNode,
  stringLiteral,
} from '../tree.ts';
import {
  type CatalogColumns,
  type ColumnFacts,
  type ColumnScope,
  commonFacts,
  type FactsOf,
  fromScope,
  type KnownRelations,
  NOTHING_KNOWN,
  renamed,
  type SelectedColumn,
} from './column-scope.ts';
import { type IsFloatColumn, isFloat, isFloatType } from './float-kind.ts';
import { isJsonb } from './jsonb-type.ts';
import { elementKind, type KindOfColumn, VALUE_TEXTS, valueKind } from './value-kind.ts';

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
    subquery: (node, outer) => queryColumns(node, known, outer),
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
    subquery: (node, outer) => queryColumns(node, known, outer),
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
function queryColumns(
  node: QueryNode,
  around: KnownRelations,
  outer?: FactsOf,
): readonly SelectedColumn[] | undefined {
  const known = knownIn(node, around);
  if (node.type === 'SELECT_NODE') return selectedColumns(node, known, outer);
  if (node.type === 'RECURSIVE_CTE_NODE') return columnsOfRecursion(queryColumns(node.left, known, outer));
  if (node.type !== 'SET_OPERATION_NODE' || node.setop_type === 'UNION_BY_NAME') return undefined;
  const branches = (node.children ?? [node.left, node.right]).map((branch) =>
    queryColumns(branch, known, outer),
  );
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
function selectedColumns(
  node: SelectNode,
  known: KnownRelations,
  outer?: FactsOf,
): readonly SelectedColumn[] | undefined {
  const scope = fromScope(node.from_table, known, outer);
  const factsOf = factsWithin(() => scope, known, outer);
  const kindOf = kindsFrom(factsOf);
  // A grouping set that omits a key returns NULL for it, and any expression, even a constant, may be a key.
  const certain =
    node.group_sets.length > 1
      ? isCount
      : (item: Expression) => isNotNull(item, (ref) => scope.column(ref)?.notNull === true);
  const selected = (item: Expression, name: string): SelectedColumn => {
    const mark = declaredMark(item);
    const value = mark?.value ?? item;
    const kind = valueKind(value, kindOf);
    return {
      name,
      notNull: certain(value),
      declared: mark?.declared ?? declaredType(value, factsOf),
      kind,
      element: kind === 'array' ? elementKind(value, kindOf) : undefined,
      type: value.class === 'COLUMN_REF' ? factsOf(value)?.type : undefined,
      isFloat: kind === 'float' ? isFloat(value, floatsFrom(factsOf)) : undefined,
      ...(value.class === 'CONSTANT' && stringLiteral(value) !== undefined && { isTextLiteral: true }),
    };
  };
  const columns: SelectedColumn[] = [];
  for (const item of node.select_list) {
    if (item.class !== 'STAR') {
      columns.push(selected(item, nameOf(item)));
      continue;
    }
    const expanded = starColumns(item, scope);
    if (expanded === undefined) return undefined;
    const replaced = item.replace_list;
    for (const column of expanded) {
      const by = replaced.find(({ key }) => isSameName(key, column.name));
      columns.push(by === undefined ? column : selected(by.value, column.name));
    }
  }
  return columns;
}

/** `tsr_declared(value, 'smallint')` is the value of a column that a table declares so. */
function declaredMark(
  item: Expression,
): { readonly value: Expression; readonly declared: string | undefined } | undefined {
  if (item.class !== 'FUNCTION' || item.function_name !== internalName('declared')) return undefined;
  const [value, declared] = item.children;
  return value && declared && { value, declared: stringLiteral(declared) };
}

/**
 * The facts about what an expression of a query can name.
 * @param scopeOf the columns of its FROM clause, which are asked for when a column is first named
 * @param known the relations that queries in the expression can name
 * @param outer the facts about what an expression around the query can name, if there is one
 */
export function factsWithin(scopeOf: () => ColumnScope, known: KnownRelations, outer?: FactsOf): FactsOf {
  const factsOf: FactsOf = (of) => {
    if (isQueryNode(of)) {
      const [column, ...others] = known.subquery(of, factsOf) ?? [];
      // A query that returns no row is NULL.
      return column !== undefined && others.length === 0 ? { ...column, notNull: false } : undefined;
    }
    const scope = scopeOf();
    return scope.column(of) ?? (scope.mayHave(of) ? undefined : outer?.(of));
  };
  return factsOf;
}

const kinds = new WeakMap<FactsOf, KindOfColumn>();

/** The kinds of what an expression can name: for the same facts the same function, by which `valueKind` knows what it has found. */
export function kindsFrom(factsOf: FactsOf): KindOfColumn {
  const known = kinds.get(factsOf);
  if (known !== undefined) return known;
  const found: KindOfColumn = (of, part) => (part === 'element' ? factsOf(of)?.element : factsOf(of)?.kind);
  kinds.set(factsOf, found);
  return found;
}

/** Finds the columns that PostgreSQL has as floating-point numbers. */
export const floatsFrom =
  (factsOf: FactsOf): IsFloatColumn =>
  (of) => {
    const { isFloat: known, type, kind = 'unknown' } = factsOf(of) ?? {};
    if (known !== undefined || type !== undefined) return known ?? isFloatType(type!);
    return kind === 'unknown' || kind === 'computed' ? undefined : false;
  };

function declaredType(item: Expression, factsOf: FactsOf): string | undefined {
  const declaredOf = (of: ColumnRefNode | QueryNode) => factsOf(of)?.declared;
  if (item.class === 'COLUMN_REF') return declaredOf(item);
  if (item.class === 'SUBQUERY' && item.subquery_type === 'SCALAR') return declaredOf(item.subquery.node);
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
