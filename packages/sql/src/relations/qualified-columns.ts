import { type BaseTableRef, type ColumnRefNode, type Statement, type TableRef, walkTree } from '../tree.ts';

/** A relation of the catalog in FROM, with its name there. */
export interface NamedRef {
  readonly ref: BaseTableRef;
  readonly alias: string;
}

const DEFAULT_SCHEMA = 'public';

const schemaOf = (ref: BaseTableRef): string => ref.schema_name || DEFAULT_SCHEMA;

/**
 * The alias of each reference after it is replaced: its own alias or the relation's name, or `schema.name` if
 * two relations of one FROM have the same name and no alias.
 */
export function aliasesFor(statement: Statement, refs: readonly BaseTableRef[]): readonly NamedRef[] {
  const doubled = new Set<TableRef>();
  walkTree(statement, (node) => {
    if ('class' in node || node.type !== 'SELECT_NODE') return;
    const plain = leavesOf(node.from_table).filter(({ alias }) => alias === '');
    for (const ref of plain) {
      const isDouble = plain.some(
        (other) => other.table_name === ref.table_name && schemaOf(other) !== schemaOf(ref),
      );
      if (isDouble) doubled.add(ref);
    }
  });
  return refs.map((ref) => {
    if (ref.alias !== '') return { ref, alias: ref.alias };
    return { ref, alias: doubled.has(ref) ? `${schemaOf(ref)}.${ref.table_name}` : ref.table_name };
  });
}

function leavesOf(ref: TableRef): readonly BaseTableRef[] {
  if (ref.type === 'JOIN') return [...leavesOf(ref.left), ...leavesOf(ref.right)];
  return ref.type === 'BASE_TABLE' ? [ref] : [];
}

/**
 * `public.t.c` and `tessera.public.t.c` become `t.c`, because the replacement of `public.t` is only known as
 * `t`.
 */
export function unqualifiedColumns(
  named: readonly NamedRef[],
  database: string,
  query: Statement,
): (node: ColumnRefNode) => ColumnRefNode {
  const aliasOf = new Map<string, string>();
  for (const { ref, alias } of named) {
    if (ref.alias !== '') continue;
    const path = [schemaOf(ref), ref.table_name];
    aliasOf.set(pathKey(path), alias);
    aliasOf.set(pathKey([ref.catalog_name || database, ...path]), alias);
  }
  if (aliasOf.size === 0) return (node) => node;
  const aliases = aliasesIn(query);
  return (node) => {
    const names = node.column_names;
    if (names.length < 3 || aliases.has(names[0]!)) return node;
    for (const length of [2, 3]) {
      const alias = names.length > length ? aliasOf.get(pathKey(names.slice(0, length))) : undefined;
      if (alias !== undefined) return { ...node, column_names: [alias, ...names.slice(length)] };
    }
    return node;
  };
}

const pathKey = (names: readonly string[]): string => JSON.stringify(names);

/** The aliases in a query. A relation named like a schema takes precedence over the schema. */
function aliasesIn(query: Statement): ReadonlySet<string> {
  const aliases = new Set<string>();
  walkTree(query, (node) => {
    if (!('class' in node) && 'alias' in node && node.alias !== '') aliases.add(node.alias);
  });
  return aliases;
}
