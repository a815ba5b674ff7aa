import { fail } from '@tessera/common';
import {
  type BaseTableRef,
  type CteMap,
  type Expression,
  isExpression,
  isQueryNode,
  isTableRef,
  mapChildren,
  NO_LOCATION,
  type QueryNode,
  type SubqueryRef,
  selectAll,
  someExpression,
} from '../tree.ts';
import type { CatalogColumns } from './column-scope.ts';
import { rewriteInScope } from './scoped-expressions.ts';

type Cte = CteMap['map'][number];

/** The number of names of one WITH that queries may take the place of. */
const MAX_READS = 256;

/**
 * Writes a common table expression that uses columns of an outer query in place of its name, if a subquery reads it:
 *     (WITH a AS (SELECT s FROM t WHERE s >= o.s) SELECT count(*) FROM t WHERE EXISTS (SELECT 1 FROM a WHERE a.s = t.s))
 *       →   (SELECT count(*) FROM t WHERE EXISTS (SELECT 1 FROM (SELECT s FROM t WHERE s >= o.s) AS a WHERE a.s = t.s))
 * In the first form the kernel lets the inner subquery read the rows of `a` for every `o`, instead of for its own.
 * @throws TesseraError NOT_SUPPORTED if there are too many names
 */
export function correlatedCtes<T>(statement: T, catalog: CatalogColumns): T {
  const rewritten = (value: unknown, hasOuter: boolean): unknown =>
    withChildren(
      hasOuter && isQueryNode(value) && value.cte_map.map.length > 0
        ? withoutCorrelated(value, catalog)
        : value,
      (child, seesFrom) => rewritten(child, hasOuter || seesFrom),
    );
  return rewritten(statement, false) as T;
}

/**
 * Returns a node of a tree with its children changed, or the node itself if no child changes.
 * @param change returns the new child for each child, and is told whether it is a query that may use columns of a FROM that surrounds it
 */
function withChildren(value: unknown, change: (child: unknown, seesFrom: boolean) => unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (isExpression(value) && value.class === 'CONSTANT') return value;
  const seeing = isExpression(value)
    ? value.class === 'SUBQUERY' && 'subquery'
    : isTableRef(value) && value.type === 'JOIN' && 'right';
  return mapChildren(value, (child, key) => change(child, key === seeing));
}

function withoutCorrelated(node: QueryNode, catalog: CatalogColumns): QueryNode {
  const outer = outerColumns(node.cte_map, catalog);
  const correlated = new Map<string, CorrelatedCte>();
  const others: Cte[] = [];
  let isDeep = false;
  for (const cte of node.cte_map.map) {
    const inlined = inPlaceOfNames(cte, correlated);
    isDeep ||= inlined.isDeep;
    if (inlined.reads > 0 || someExpression(cte.value, (each) => outer.has(each)))
      correlated.set(cte.key.toLowerCase(), { cte: inlined.tree, reads: inlined.reads + 1 });
    else others.push(cte);
  }
  if (correlated.size === 0) return node;
  const inlined = inPlaceOfNames({ ...node, cte_map: { map: others } }, correlated);
  return isDeep || inlined.isDeep ? inlined.tree : node;
}

/** The references to columns that no relation of the query around them is known to have. */
function outerColumns(cte_map: CteMap, catalog: CatalogColumns): ReadonlySet<Expression> {
  const found = new Set<Expression>();
  const nothing = { type: 'EMPTY', alias: '', sample: null, query_location: NO_LOCATION } as const;
  rewriteInScope({ ...selectAll(nothing), cte_map }, catalog, NOTHING, (node, factsOf) => {
    if (node.class === 'COLUMN_REF' && factsOf(node) === undefined) found.add(node);
    return node;
  });
  return found;
}

const NOTHING = () => undefined;

interface CorrelatedCte {
  readonly cte: Cte;
  /** The number of names that the query takes the place of, with those in its own text. */
  readonly reads: number;
}

/** The tree with queries in place of their names. `isDeep` says whether one of the names stood in a subquery. */
function inPlaceOfNames<T>(tree: T, correlated: ReadonlyMap<string, CorrelatedCte>) {
  let reads = 0;
  let isDeep = false;
  const changed = (value: unknown, visible: typeof correlated, isInside: boolean): unknown => {
    if (isTableRef(value) && value.type === 'BASE_TABLE' && value.schema_name === '') {
      const found = visible.get(value.table_name.toLowerCase());
      if (found === undefined) return value;
      reads += found.reads;
      isDeep ||= isInside;
      if (reads > MAX_READS) fail('NOT_SUPPORTED', { what: TOO_MANY });
      return queryInPlace(value, found.cte);
    }
    const hidden = value !== tree && isQueryNode(value) ? value.cte_map.map.map(({ key }) => key) : [];
    const left = hidden.length === 0 ? visible : without(visible, hidden);
    return withChildren(value, (child, seesFrom) => changed(child, left, isInside || seesFrom));
  };
  return { tree: changed(tree, correlated, false) as T, reads, isDeep };
}

const TOO_MANY = `Reading common table expressions that use columns of an outer query more than ${MAX_READS} times`;

function without<T>(named: ReadonlyMap<string, T>, names: readonly string[]): ReadonlyMap<string, T> {
  const hidden = new Set(names.map((name) => name.toLowerCase()));
  return new Map([...named].filter(([name]) => !hidden.has(name)));
}

function queryInPlace(read: BaseTableRef, { key, value }: Cte): SubqueryRef {
  const { query, aliases } = value;
  const { alias, table_name, column_name_alias, sample, query_location } = read;
  const base = {
    type: 'SUBQUERY',
    alias: alias === '' ? table_name : alias,
    sample,
    query_location,
  } as const;
  if (query.node.type !== 'RECURSIVE_CTE_NODE')
    return {
      ...base,
      subquery: query,
      column_name_alias: [...column_name_alias, ...aliases.slice(column_name_alias.length)],
    };
  const itself = { ...read, alias: '', column_name_alias: [], sample: null };
  const node = { ...selectAll(itself), cte_map: { map: [{ key, value }] } };
  return { ...base, subquery: { ...query, node }, column_name_alias };
}
