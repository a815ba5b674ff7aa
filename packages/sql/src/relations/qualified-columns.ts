import { type BaseTableRef, type ColumnRefNode, type Statement, walkTree } from '../tree.ts';
import type { TableRelation } from './relation-resolver.ts';

/**
 * `public.t.c` and `tessera.public.t.c` become `t.c` where `t` stands in FROM without an alias: the relation that takes
 * its place has the table's name only.
 */
export function unqualifiedColumns(
  tables: readonly { readonly ref: BaseTableRef; readonly table: TableRelation }[],
  query: Statement,
): (node: ColumnRefNode) => ColumnRefNode {
  const known = new Set<string>();
  for (const { ref, table } of tables) {
    if (ref.alias !== '') continue;
    const [database = '', schema = ''] = table.qualifiers;
    known.add(pathKey([schema, ref.table_name]));
    known.add(pathKey([database, schema, ref.table_name]));
  }
  if (known.size === 0) return (node) => node;
  const aliases = aliasesIn(query);
  return (node) => {
    const names = node.column_names;
    if (names.length < 3 || aliases.has(names[0]!)) return node;
    if (known.has(pathKey(names.slice(0, 2)))) return { ...node, column_names: names.slice(1) };
    if (names.length > 3 && known.has(pathKey(names.slice(0, 3))))
      return { ...node, column_names: names.slice(2) };
    return node;
  };
}

const pathKey = (names: readonly string[]): string => JSON.stringify(names);

/** A relation that is called as a schema is meant before the schema. */
function aliasesIn(query: Statement): ReadonlySet<string> {
  const aliases = new Set<string>();
  walkTree(query, (node) => {
    if (!('class' in node) && 'alias' in node && node.alias !== '') aliases.add(node.alias);
  });
  return aliases;
}
