import type { BindingSession } from '@tessera/kernel';
import type { Placement } from '../relations/placement.ts';
import type { PrepareContext, PreparedQuery } from '../relations/prepare-context.ts';
import { MANAGED_SCHEMA } from '../relations/relation-resolver.ts';
import {
  type Expression,
  type QueryNode,
  type StarNode,
  type Statement,
  someExpression,
  type TableRef,
  type TypeNode,
  walkTree,
} from '../tree.ts';
import type { CatalogColumns } from './column-scope.ts';
import { exactDecimals } from './decimal-scales.ts';
import { mergedColumnsFirst } from './merged-columns.ts';
import { checkRecursiveTypes } from './recursive-types.ts';
import { textsByPlace } from './texts-by-place.ts';
import { typedRows } from './untyped-rows.ts';

/** A rewritten query in two forms, which are identical if it reads no managed table. */
export interface BindableQuery {
  /** The form that the query's session runs, with managed tables under their bound names. */
  readonly running: Statement;
  /** The form that `binder` knows. */
  readonly bound: Statement;
  readonly binder: BindingSession;
  /** The number of references to each managed table, by its bound name. */
  readonly tables: ReadonlyMap<string, number>;
  /** See `PreparedQuery`. */
  readonly namedColumns: PreparedQuery['namedColumns'];
  /** What the catalog knows about the columns of the tables. */
  readonly columns: CatalogColumns;
  readonly sessionRelations: PreparedQuery['sessionRelations'];
  readonly time: PreparedQuery['time'];
  readonly date: PreparedQuery['date'];
  /** Whether the query reads object identifiers. If so, its UINTEGER columns are object identifiers. */
  readonly hasOids: boolean;
}

export async function bindable(
  written: Statement,
  placement: Placement,
  { session, relations, sequences, settings }: PrepareContext,
): Promise<BindableQuery> {
  const isBound = (placement.tables.size > 0 || placement.hasFileScans) && relations !== undefined;
  const binder = isBound ? await relations.binder(sequences) : session;
  const boundForm = (statement: Statement): Promise<Statement> =>
    isBound ? placement.bound(statement, session, relations) : Promise.resolve(placement.running(statement));
  const statement = await textsByPlace(written, binder, boundForm, (node) =>
    placement.tables.size > 0 ? placement.clock.pin(node, settings.timezone) : node,
  );
  const placed = placement.running(statement);
  const placedForBinder = isBound ? await boundForm(statement) : placed;
  const withStars = await mergedColumnsFirst(placedForBinder, binder);
  const starless = withStars(placedForBinder);
  const withTypes = await typedRows(starless, binder);
  await checkRecursiveTypes(withTypes(starless), binder);
  const typed = withTypes(starless);
  const forms = { bound: typed, running: isBound ? withTypes(withStars(placed)) : typed };
  const { bound, running } = await exactDecimals(forms, binder, placement);
  const namedColumns = columnNames(running);
  const hasOids = placement.readsSystem || castsToOid(running);
  if (!isBound) {
    return {
      running,
      bound: running,
      binder,
      tables: new Map(),
      namedColumns,
      columns: () => undefined,
      sessionRelations: new Map(),
      time: 'none',
      date: undefined,
      hasOids,
    };
  }
  const columns: CatalogColumns = (name) => placement.tables.get(name)?.columns;
  const { sessionRelations } = placement;
  const tables = countTables(running);
  const time = timeOf(placement);
  const { date } = placement.clock;
  return { running, bound, binder, tables, namedColumns, columns, sessionRelations, time, date, hasOids };
}

const castsToOid = (statement: Statement): boolean =>
  someExpression(statement, (node) => node.class === 'CAST' && isOid(node.cast_type));

const isOid = ({ id, type_info }: TypeNode): boolean =>
  id === 'UINTEGER' || (type_info?.type === 'LIST_TYPE_INFO' && isOid(type_info.child_type));

function timeOf({ clock }: Placement): PreparedQuery['time'] {
  if (clock.wasBypassed) return 'free';
  return clock.wasRead ? 'pinned' : 'none';
}

/** The number of references to each managed table. */
export function countTables(statement: Statement): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  walkTree(statement, (node) => {
    if ('class' in node || node.type !== 'BASE_TABLE' || node.schema_name !== MANAGED_SCHEMA) return;
    counts.set(node.table_name, (counts.get(node.table_name) ?? 0) + 1);
  });
  return counts;
}

/**
 * The names in lower case that may be columns of the relations that a query reads; undefined if it may depend on columns that it
 * does not name: by a star, a whole row, or the position of a column. The star of `EXISTS (SELECT * …)` requests none, and a star
 * over subqueries requests the columns that these name.
 */
export function columnNames(statement: Statement): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  /** The last words of column references. One that is the name of a table in `tables` means a whole row of that table. */
  const lastNames = new Set<string>();
  const tables = new Set<string>();
  const withoutRows = new Set<QueryNode>();
  const judgedStars = new Set<Expression>();
  let readsAll = false;
  walkTree(statement, (node) => {
    if ('class' in node) {
      if (node.class === 'SUBQUERY' && /EXISTS/.test(node.subquery_type)) withoutRows.add(node.subquery.node);
      readsAll ||= node.class === 'POSITIONAL_REFERENCE' || (node.class === 'STAR' && !judgedStars.has(node));
      if (node.class !== 'COLUMN_REF') return;
      for (const name of node.column_names) names.add(name.toLowerCase());
      lastNames.add(node.column_names.at(-1)!.toLowerCase());
    } else if (node.type === 'JOIN') {
      readsAll ||= node.ref_type === 'NATURAL';
      for (const name of node.using_columns) names.add(name.toLowerCase());
    } else if (node.type === 'BASE_TABLE' && node.schema_name === MANAGED_SCHEMA) {
      readsAll ||= node.column_name_alias.length > 0;
      tables.add((node.alias || node.table_name).toLowerCase());
    } else if (node.type === 'PIVOT' || node.type === 'SHOW_REF') {
      readsAll = true;
    } else if (node.type === 'SELECT_NODE') {
      const stars = starsIn(node.select_list);
      readsAll ||= stars.length > 0 && namesRelation(node.from_table) && !withoutRows.has(node);
      // The star of ORDER BY ALL means the columns of the result.
      for (const star of [...stars, ...starsIn(node.modifiers).filter(({ columns }) => !columns)])
        judgedStars.add(star);
    }
  });
  return readsAll || lastNames.intersection(tables).size > 0 ? undefined : names;
}

function starsIn(expressions: unknown): readonly StarNode[] {
  const found: StarNode[] = [];
  walkTree(expressions, (node) => {
    if ('class' in node && node.class === 'STAR') found.push(node);
  });
  return found;
}

/** Whether FROM contains a relation other than a subquery. */
function namesRelation(from: TableRef): boolean {
  if (from.type === 'JOIN') return namesRelation(from.left) || namesRelation(from.right);
  return from.type !== 'SUBQUERY';
}
