import type { ObjectId, Snapshot, ViewObject } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import { type Kernel, quoteName } from '@tessera/kernel';
import type { OutputColumn } from '@tessera/sql';
import {
  createRelation,
  encodedRelation,
  readsViewColumns,
  relationsOfDatabase,
  type SystemFacts,
  systemRelation,
} from '@tessera/system-catalog';
import { sharesTables } from '../objects/session-options.ts';
import type { StatementContext } from '../queries/statement-context.ts';
import type { NamedRelation } from '../read/bound-query.ts';
import type { SessionScope } from '../read/session-scope.ts';
import { findRelation, type SystemTable } from '../read/statement-relations.ts';
import { Notices } from '../request/notices.ts';
import { KeptRelations } from '../reuse/kept-relations.ts';

/** The user for whom `information_schema` is read, and the catalog that it describes. */
export type SystemScope = Pick<
  SystemFacts,
  'snapshot' | 'database' | 'user' | 'protocol' | 'preparedStatements'
> & {
  /** The view that is read. */
  readonly view: string;
  /** Where warnings of missing rows go. */
  readonly notices: Notices;
};

/** The facts about the node for `information_schema`. */
export type FactsFor = (scope: SystemScope) => Promise<SystemFacts>;

/** The columns of a view, and what they depend on. */
export interface QueryOutput {
  readonly columns: readonly OutputColumn[];
  /** The names in its query and in those of the views that it reads. */
  readonly named: readonly NamedRelation[];
}

/** The relations of information_schema and pg_catalog, as temp tables of the sessions that read them, or as tables that statements share. */
export class SystemRelations {
  readonly #factsFor: FactsFor | undefined;
  readonly #outputOf: (view: StatementContext) => Promise<QueryOutput>;
  readonly #viewColumns = new ViewColumns();
  readonly #kept: KeptRelations;

  /** @param outputOf binds the query of a view and returns its columns */
  constructor(
    kernel: Kernel,
    factsFor: FactsFor | undefined,
    outputOf: (view: StatementContext) => Promise<QueryOutput>,
  ) {
    this.#kept = new KeptRelations(kernel);
    this.#factsFor = factsFor;
    this.#outputOf = outputOf;
  }

  /**
   * Finds or creates a table with the contents of a relation, which lives as long as the scope; undefined if there is no such
   * relation.
   */
  async load(
    scope: Pick<SessionScope, 'context' | 'options' | 'session' | 'keep'>,
    name: { readonly schema: string; readonly name: string },
    { database, snapshot }: { readonly database: string; readonly snapshot: Snapshot },
  ): Promise<SystemTable | undefined> {
    const { context, session } = scope;
    const { user, protocol } = context.sessionValues;
    const preparedStatements = context.request.preparedStatements?.() ?? [];
    const { notices } = context.query;
    const asked = { view: name.name, snapshot, database, user, protocol, preparedStatements, notices };
    const facts = await this.#factsFor?.(asked);
    if (facts === undefined) return undefined;
    const viewColumns = readsViewColumns(name)
      ? await this.#columnsOfViews(facts, context)
      : facts.viewColumns;
    const relation = systemRelation(name, { ...facts, viewColumns });
    if (relation === undefined) return undefined;
    const encoded = encodedRelation(relation);
    // A process in quarantine has tables of its own.
    const mayShare = scope.options.quarantine !== true && sharesTables(context.request.settings);
    const kept = mayShare ? await this.#kept.use(encoded) : undefined;
    if (kept !== undefined) {
      scope.keep(kept);
      return { database: 'kept', name: kept.name };
    }
    const table: SystemTable = { database: 'temp', name: `${name.schema}.${name.name}.${database}` };
    await createRelation(session, table, encoded);
    return table;
  }

  /** The columns of views, determined with the privileges of their owners. */
  #columnsOfViews(facts: SystemFacts, context: StatementContext): Promise<SystemFacts['viewColumns']> {
    const { snapshot, database } = facts;
    const placed = [...relationsOfDatabase(facts)].flatMap(({ schema, relation }) =>
      relation.kind === 'view' ? [{ schema, view: relation }] : [],
    );
    const schemas = new Map(placed.map(({ schema, view }) => [view.id, schema.name]));
    const views = placed.map(({ view }) => view);
    return this.#viewColumns.of(views, snapshot, async (view) => {
      const asOwner: StatementContext = {
        query: { ...context.query, notices: new Notices() },
        request: { ...context.request, parameters: [] },
        text: `SELECT * FROM ${quoteName(schemas.get(view.id)!)}.${quoteName(view.name)}`,
        sessionValues: { ...context.sessionValues, database, user: view.owner },
        snapshot: async () => ({ snapshot, release: () => undefined }),
      };
      try {
        return await this.#outputOf(asOwner);
      } catch (error) {
        context.query.signal.throwIfAborted();
        if (error instanceof TesseraError && error.name === 'KERNEL_LOST') throw error;
        return { columns: [], named: [] };
      }
    });
  }
}

interface Known extends QueryOutput {
  readonly view: ViewObject;
}

const MAX_KNOWN = 5_000;

/**
 * The columns of views, which are those of their queries: determined by the kernel and cached as long as they
 * are valid.
 */
class ViewColumns {
  readonly #known = new Map<ObjectId, Known>();

  /** The columns by view id. A view that cannot be read, for example because its files are gone, has none. */
  async of(
    views: readonly ViewObject[],
    snapshot: Snapshot,
    outputOf: (view: ViewObject) => Promise<QueryOutput>,
  ): Promise<ReadonlyMap<ObjectId, readonly OutputColumn[]>> {
    const columns = new Map<ObjectId, readonly OutputColumn[]>();
    for (const view of views) {
      const known = this.#known.get(view.id);
      const output = known !== undefined && holds(known, view, snapshot) ? known : await outputOf(view);
      this.#remember({ ...output, view });
      columns.set(view.id, output.columns);
    }
    return columns;
  }

  #remember(known: Known): void {
    this.#known.delete(known.view.id);
    this.#known.set(known.view.id, known);
    for (const [oldest] of this.#known) {
      if (this.#known.size <= MAX_KNOWN) return;
      this.#known.delete(oldest);
    }
  }
}

const holds = ({ view, named }: Known, now: ViewObject, snapshot: Snapshot): boolean =>
  view === now &&
  named.every(
    ({ name, database, object }) => findRelation(snapshot, { name, database, inView: true }) === object,
  );
