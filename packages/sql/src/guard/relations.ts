import { fail, type SqlLocation } from '@tessera/common';
import type { BaseTableRef, QueryLocation, TableRef } from '../tree.ts';
import { isQueryNode, isTableRef } from '../tree.ts';

/**
 * Every table that a query names must be a CTE in its scope: names of tables, of files as strings and of the kernel's
 * own views do not reach the kernel.
 * @throws TesseraError UNDEFINED_TABLE, FORBIDDEN, NOT_SUPPORTED
 */
export function checkRelations(tree: unknown, locate: (at: QueryLocation) => SqlLocation | undefined): void {
  visit(tree, new Set(), locate);
}

function visit(
  value: unknown,
  scope: ReadonlySet<string>,
  locate: (at: QueryLocation) => SqlLocation | undefined,
): void {
  if (value === null || typeof value !== 'object') return;
  if (isQueryNode(value)) {
    const inner = new Set(scope);
    if (value.type === 'RECURSIVE_CTE_NODE') inner.add(value.cte_name.toLowerCase());
    for (const { key, value: cte } of value.cte_map.map) {
      visit(cte, inner, locate);
      inner.add(key.toLowerCase());
    }
    for (const [key, field] of Object.entries(value)) if (key !== 'cte_map') visit(field, inner, locate);
    return;
  }
  if (isTableRef(value)) checkTable(value, scope, locate);
  for (const field of Object.values(value)) visit(field, scope, locate);
}

function checkTable(
  node: TableRef,
  scope: ReadonlySet<string>,
  locate: (at: QueryLocation) => SqlLocation | undefined,
): void {
  const location = locate(node.query_location);
  if (node.type === 'SHOW_REF' && node.query === null) {
    fail('NOT_SUPPORTED', { what: 'SHOW or DESCRIBE inside a query' }, { location });
  }
  if (node.type !== 'BASE_TABLE') return;
  const isQualified = node.schema_name !== '' || node.catalog_name !== '';
  if (!isQualified && scope.has(node.table_name.toLowerCase())) return;
  const name = fullName(node);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(node.table_name) || /[/\\]|\.\w+$/.test(node.table_name)) {
    const message = `A file cannot be named as a table ("${node.table_name}"): read it with a READ_* function`;
    fail('FORBIDDEN', { message }, { location });
  }
  fail('UNDEFINED_TABLE', { message: `Table "${name}" does not exist` }, { location });
}

const fullName = (node: BaseTableRef): string =>
  [node.catalog_name, node.schema_name, node.table_name].filter((part) => part !== '').join('.');
