import type { BindingSession } from '@tessera/kernel';
import { deparse } from '../parse/parse.ts';
import { StatementClock } from '../rewrites/statement-clock.ts';
import {
  type BaseTableRef,
  NO_LOCATION,
  type Statement,
  type SubqueryRef,
  selectAll,
  type TableRef,
  transformTree,
} from '../tree.ts';
import { MANAGED_SCHEMA, type RelationResolver, type TableRelation } from './relation-resolver.ts';

/** The schema of placeholders. No table has a name in this schema, so rewrites ignore placeholders. */
const PLACE_SCHEMA = 'tsr_place';

type Place =
  /** A relation that only the running session can read. */
  | {
      readonly kind: 'running';
      readonly ref: TableRef;
      /** See `RelationSource`. */
      readonly scanId?: string | undefined;
    }
  /** A query that is already rewritten and may contain placeholders itself. */
  | { readonly kind: 'query'; readonly ref: (query: Statement) => TableRef; readonly query: Statement };

/**
 * Maps the relations of one statement to their replacements. During the rewrite, a placeholder represents
 * each relation; afterwards the statement is produced in two forms: the one that runs and the one that the
 * binder knows.
 */
export class Placement {
  readonly #places: Place[] = [];
  /** References to managed tables by bound name, including those of views. */
  readonly tables = new Map<string, TableRelation>();
  /**
   * Queries of relations that exist only in the running session, by the name of the empty relation that
   * `bound` created for each.
   */
  readonly sessionRelations = new Map<string, string>();
  /** Whether the statement reads a relation of `information_schema` or `pg_catalog`. */
  readsSystem = false;
  /** The clock of the statement; tables are read at a fixed time. */
  readonly clock = new StatementClock(new Date(), (name) =>
    [...this.tables.values()].some(({ columns }) => columns.some((c) => c.name.toLowerCase() === name)),
  );

  /**
   * Creates a placeholder for a relation of the running session, or for files that several nodes may read.
   */
  relation(ref: TableRef, scanId?: string): TableRef {
    return this.#mark({ kind: 'running', ref, scanId });
  }

  /** Whether the statement reads files that several nodes may read. */
  get hasFileScans(): boolean {
    return this.#places.some((place) => place.kind === 'running' && place.scanId !== undefined);
  }

  /** Creates a placeholder for a query in FROM that was rewritten with this placement. */
  query(query: Statement, ref: (query: Statement) => TableRef): TableRef {
    return this.#mark({ kind: 'query', query, ref });
  }

  /** The same for a subquery of FROM. */
  subquery(ref: SubqueryRef): TableRef {
    return this.query(ref.subquery, (subquery) => ({ ...ref, subquery }));
  }

  /** The statement in the form that runs. */
  running(statement: Statement): Statement {
    return this.#places.length === 0 ? statement : this.#filled(statement, ({ ref }) => ref);
  }

  /** The statement over empty relations, which `relations` creates. */
  async bound(
    statement: Statement,
    session: BindingSession,
    relations: Pick<RelationResolver, 'emptyRelation' | 'fileScan'>,
  ): Promise<Statement> {
    const empty = new Map<Place, TableRef>();
    for (const place of this.#places) {
      if (place.kind !== 'running') continue;
      const sql = await wholeOf(place.ref, session);
      const { columns } = await session.describe(sql);
      if (place.scanId !== undefined) {
        const scan = baseTable(MANAGED_SCHEMA, await relations.fileScan(place.scanId, columns));
        empty.set(place, emptyForm(place.ref, scan));
        continue;
      }
      const name = await relations.emptyRelation(columns);
      this.sessionRelations.set(name, sql);
      empty.set(place, emptyForm(place.ref, { ...baseTable('', name), catalog_name: 'temp' }));
    }
    return this.#filled(statement, (place) => empty.get(place)!);
  }

  #mark(place: Place): BaseTableRef {
    this.#places.push(place);
    return baseTable(PLACE_SCHEMA, String(this.#places.length - 1));
  }

  #filled(statement: Statement, fill: (place: Extract<Place, { kind: 'running' }>) => TableRef): Statement {
    return transformTree(statement, {
      tableRef: (node) => {
        if (node.type !== 'BASE_TABLE' || node.schema_name !== PLACE_SCHEMA) return node;
        const place = this.#places[Number(node.table_name)]!;
        return place.kind === 'running' ? fill(place) : place.ref(this.#filled(place.query, fill));
      },
    });
  }
}

/** A query of all columns under their original names, whatever the statement calls them. */
function wholeOf(ref: TableRef, session: BindingSession): Promise<string> {
  const plain = {
    ...ref,
    alias: 'r',
    sample: null,
    ...('column_name_alias' in ref ? { column_name_alias: [] } : {}),
  };
  return deparse(session, { node: selectAll(plain as TableRef), named_param_map: [] });
}

const emptyForm = (ref: TableRef, empty: BaseTableRef): TableRef => ({
  ...empty,
  alias: ref.alias,
  sample: ref.sample,
  query_location: ref.query_location,
  column_name_alias: 'column_name_alias' in ref ? ref.column_name_alias : [],
});

const baseTable = (schema: string, name: string): BaseTableRef => ({
  type: 'BASE_TABLE',
  alias: '',
  sample: null,
  query_location: NO_LOCATION,
  catalog_name: '',
  schema_name: schema,
  table_name: name,
  column_name_alias: [],
  at_clause: null,
});
