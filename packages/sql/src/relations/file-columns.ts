import { quoteText } from '@tessera/kernel';
import type { SourceFile } from '../reads/read-call.ts';
import { type Expression, type SelectNode, type StarNode, type TableRef, walkTree } from '../tree.ts';

/**
 * The file columns of an external table, available for every row, under the names that the parsed text has
 * for them. `*` does not include them.
 */
export const FILE_COLUMNS: Readonly<Record<string, { readonly type: string; of(file: SourceFile): string }>> =
  {
    $source_file_name: { type: 'VARCHAR', of: ({ url }) => quoteText(url) },
    $source_file_size: { type: 'BIGINT', of: ({ bytes }) => String(bytes) },
    $source_file_timestamp: {
      type: 'TIMESTAMPTZ',
      of: ({ modifiedAt }) => (modifiedAt === undefined ? 'NULL' : quoteText(modifiedAt.toISOString())),
    },
  };

/** The file columns that a query names anywhere. */
export function fileColumnsIn(query: unknown): readonly string[] {
  const names = new Set<string>();
  walkTree(query, (node) => {
    if (!('class' in node) || node.class !== 'COLUMN_REF') return;
    const name = node.column_names.at(-1)!;
    if (Object.hasOwn(FILE_COLUMNS, name)) names.add(name);
  });
  return [...names];
}

/** The stars of a query that would include columns of these references of its FROM. */
export function starsOver(query: unknown, refs: ReadonlySet<TableRef>): ReadonlySet<Expression> {
  const stars = new Set<Expression>();
  if (refs.size === 0) return stars;
  walkTree(query, (node) => {
    if ('class' in node || node.type !== 'SELECT_NODE') return;
    const called = namesIn(node.from_table, refs);
    if (called.length === 0) return;
    for (const star of starsIn(node.select_list))
      if (star.relation_name === '' || called.includes(star.relation_name)) stars.add(star);
  });
  return stars;
}

/** The names by which expressions can refer to the references of a FROM. */
function namesIn(from: TableRef, refs: ReadonlySet<TableRef>): readonly string[] {
  if (from.type === 'JOIN') return [...namesIn(from.left, refs), ...namesIn(from.right, refs)];
  if (from.type !== 'BASE_TABLE' || !refs.has(from)) return [];
  return [from.alias === '' ? from.table_name : from.alias];
}

function starsIn(items: SelectNode['select_list']): readonly StarNode[] {
  const stars: StarNode[] = [];
  walkTree(items, (node) => {
    if ('class' in node && node.class === 'STAR') stars.push(node);
  });
  return stars;
}
