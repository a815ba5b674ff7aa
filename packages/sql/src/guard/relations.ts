import { fail, type SqlLocation } from '@tessera/common';
import type { BaseTableRef, QueryLocation, QueryNode, TableRef } from '../tree.ts';
import { isQueryNode, isTableRef } from '../tree.ts';

type Locate = (at: QueryLocation) => SqlLocation | undefined;

/**
 * The table references of a query that do not name a CTE in their scope, so the catalog must resolve them.
 * The one that stands first in FROM, or in the subquery there, comes first; the others follow in the order of
 * the text.
 * @throws TesseraError NOT_SUPPORTED for SHOW and DESCRIBE inside a query
 */
export function catalogReferences(tree: unknown, locate: Locate): readonly BaseTableRef[] {
  const found: BaseTableRef[] = [];
  visit(tree, new Set(), locate, found);
  const first = found.indexOf(firstInFrom(tree) as BaseTableRef);
  return first <= 0 ? found : [found[first]!, ...found.filter((_, index) => index !== first)];
}

/** The leftmost relation of the outermost FROM, or of the subquery that stands there. */
function firstInFrom(tree: unknown): TableRef | undefined {
  const { node } = tree as { readonly node?: QueryNode };
  if (node?.type !== 'SELECT_NODE') return undefined;
  let ref = node.from_table;
  while (ref.type === 'JOIN') ref = ref.left;
  return ref.type === 'SUBQUERY' ? firstInFrom(ref.subquery) : ref;
}

function visit(value: unknown, scope: ReadonlySet<string>, locate: Locate, found: BaseTableRef[]): void {
  if (value === null || typeof value !== 'object') return;
  if (isQueryNode(value)) {
    const inner = new Set(scope);
    if (value.type === 'RECURSIVE_CTE_NODE') inner.add(value.cte_name.toLowerCase());
    for (const { key, value: cte } of value.cte_map.map) {
      visit(cte, inner, locate, found);
      inner.add(key.toLowerCase());
    }
    for (const [key, field] of Object.entries(value))
      if (key !== 'cte_map') visit(field, inner, locate, found);
    return;
  }
  if (isTableRef(value)) visitTable(value, scope, locate, found);
  for (const field of Object.values(value)) visit(field, scope, locate, found);
}

function visitTable(node: TableRef, scope: ReadonlySet<string>, locate: Locate, found: BaseTableRef[]): void {
  if (node.type === 'SHOW_REF' && node.query === null) {
    fail(
      'NOT_SUPPORTED',
      { what: 'SHOW or DESCRIBE inside a query' },
      { location: locate(node.query_location) },
    );
  }
  if (node.type !== 'BASE_TABLE') return;
  const isQualified = node.schema_name !== '' || node.catalog_name !== '';
  if (!isQualified && scope.has(node.table_name.toLowerCase())) return;
  found.push(node);
}

/**
 * Refuses a table reference before it reaches the kernel: a file name used as a table, or an unknown name.
 * @throws TesseraError FORBIDDEN, UNDEFINED_TABLE
 */
export function refuseTable(node: BaseTableRef, locate: Locate): never {
  const location = locate(node.query_location);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(node.table_name) || /[/\\]|\.\w+$/.test(node.table_name)) {
    const message = `A file cannot be named as a table ("${node.table_name}"): read it with a READ_* function`;
    const resolution =
      "Send the file with the request and name it as an upload, FROM 'upload://trips.csv', or name the URL of an object: FROM 's3://lake/trips.csv'.";
    fail('FORBIDDEN', { message }, { location, resolution });
  }
  fail('UNDEFINED_TABLE', { message: `Table "${fullName(node)}" does not exist` }, { location });
}

const fullName = (node: BaseTableRef): string =>
  [node.catalog_name, node.schema_name, node.table_name].filter((part) => part !== '').join('.');
