import { TesseraError } from '@tessera/common';
import { describeQuery, type QueryDescription, type SqlType } from '@tessera/sql';
import type { QueryDistribution } from '../distribution/query-distribution.ts';
import type { StatementContext } from '../queries/statement-context.ts';
import type { BoundQuery } from '../read/bound-query.ts';
import type { ExecutionOptions } from '../read/executable-query.ts';
import { readAuthority, SessionScope, type SessionServices } from '../read/session-scope.ts';
import type { TableServices } from '../tables.ts';
import { bind } from './bind.ts';
import { withValues } from './generic-plans.ts';
import { PlanCache } from './plan-cache.ts';
import type { QueryOutput } from './system-relations.ts';

/** Whether a query is planned before it runs. */
type Planning = 'always' | 'where it matters' | 'never';

/** A bound query, and whether later statements with the same text may use it. */
export interface FoundQuery {
  readonly bound: BoundQuery;
  readonly isLasting: boolean;
}

export interface BoundQueriesOptions {
  readonly sessions: SessionServices;
  /** Undefined if the node keeps no tables. */
  readonly tables: TableServices | undefined;
  readonly distribution: QueryDistribution;
}

/** Binds the queries of sessions, and keeps what it has bound for later statements. */
export class BoundQueries {
  readonly #o: BoundQueriesOptions;
  readonly #plans = new PlanCache();
  /** Statements over tables whose plan was not understood, so that they read every column of every tablet. */
  unplanned = 0;

  constructor(options: BoundQueriesOptions) {
    this.#o = options;
  }

  /** The caller must dispose the scope. */
  open(context: StatementContext, options: ExecutionOptions): Promise<SessionScope> {
    return SessionScope.open(this.#o.sessions, context, options);
  }

  /** The bound query of a scope, from the cache if possible. The binder's session is closed. */
  async find(scope: SessionScope): Promise<FoundQuery> {
    const { relations } = scope;
    const known = await this.#plans.get(scope);
    if (known !== undefined) {
      await this.#authorizeAgain(known, scope);
      if (!(await this.#needsPlan(known, scope))) return { bound: known, isLasting: true };
    } else {
      const generic = await this.#plans.generic(scope);
      if (generic !== undefined) {
        await this.#authorizeAgain(generic.bound, scope);
        if (!(await this.#needsPlan(generic.bound, scope)))
          return { bound: withValues(generic.bound, generic.parameters), isLasting: true };
      }
      const bound = await this.#withLiterals(scope);
      if (bound !== undefined) return { bound, isLasting: true };
    }
    const bound = await this.bind(scope, 'where it matters');
    await relations?.unbind();
    const found = { bound, isLasting: isLasting(bound, scope) };
    if (found.isLasting) {
      this.#plans.add(scope, bound);
      if (scope.options.onLiteralPlan !== undefined) this.#plans.addLiterals(scope, bound);
      await this.#bindGeneric(scope, bound);
    }
    return found;
  }

  /** Leaves the binder's session open. */
  async bind(scope: SessionScope, planning: Planning): Promise<BoundQuery> {
    const bound = await bind(scope, (unplanned) =>
      planning === 'where it matters' ? this.#needsPlan(unplanned, scope) : planning === 'always',
    );
    if (bound.isPlanned && bound.scans === undefined) this.unplanned += 1;
    return bound;
  }

  /** The columns of a query and the relations that it names, in its text or through views, without fetching anything. */
  async outputOf(context: StatementContext): Promise<QueryOutput> {
    await using scope = await this.open(context, { neverRuns: true });
    try {
      const { prepared, named } = await this.bind(scope, 'never');
      return { columns: prepared.columns, named };
    } catch (error) {
      throw scope.explain(error);
    }
  }

  /** The parameters and the result of a query; `asked` as in `describeQuery`. */
  async describe(
    context: StatementContext,
    options: ExecutionOptions,
    asked?: readonly SqlType[],
  ): Promise<QueryDescription> {
    await using scope = await this.open(context, { ...options, neverRuns: true });
    const { reads, relations } = scope;
    try {
      const known = await this.#plans.description(scope, asked);
      if (known !== undefined) {
        await this.#authorizeAgain(known, scope);
        return known.description;
      }
      const description = await describeQuery(context.text, scope.prepareContext, asked);
      if (!reads.isTransient && relations?.transient !== true) {
        this.#plans.addDescription(scope, { description, named: relations?.named ?? [] }, asked);
      }
      return description;
    } catch (error) {
      throw scope.explain(error);
    }
  }

  /** The query for other literals than those that it was bound with before, if it needs no plan of its own. */
  async #withLiterals(scope: SessionScope): Promise<BoundQuery | undefined> {
    const { onLiteralPlan } = scope.options;
    const bound = onLiteralPlan && (await this.#plans.withLiterals(scope));
    if (bound === undefined) return undefined;
    await this.#authorizeAgain(bound, scope);
    if ((await this.#needsPlan(bound, scope)) || (await this.#o.distribution.isFor(bound, scope)))
      return undefined;
    onLiteralPlan?.();
    return bound;
  }

  /**
   * Binds a statement for all values of its parameters when it occurs with the second list of values, if no
   * plan was needed.
   */
  async #bindGeneric({ context, options }: SessionScope, bound: BoundQuery): Promise<void> {
    const parameters = this.#plans.dueGeneric({ context, options }, bound);
    if (parameters === undefined) return;
    const request = { ...context.request, parameters: parameters.parameters };
    await using scope = await this.open({ ...context, request }, options);
    try {
      const generic = await this.bind(scope, 'never');
      this.#plans.addGeneric({ context, options }, { bound: generic, parameters }, bound);
    } catch (error) {
      // The values affect the meaning of the statement, so it is always bound with them.
      if (!(error instanceof TesseraError)) throw error;
    }
  }

  /**
   * Checks privileges again: a statement that was bound before was allowed then, but grants may change while
   * its relations do not.
   */
  async #authorizeAgain({ named }: Pick<BoundQuery, 'named'>, scope: SessionScope): Promise<void> {
    if (named.length === 0) return;
    const authority = readAuthority(this.#o.sessions.authorizer, scope.context, scope.options);
    const snapshot = await scope.relations!.snapshot();
    for (const { object, view, name } of named)
      authority.readAgain(snapshot, object, { view, location: name.location });
  }

  /** Whether a plan is needed and does not exist yet. */
  async #needsPlan(bound: BoundQuery, scope: SessionScope): Promise<boolean> {
    if (bound.isPlanned) return false;
    if ([...bound.files.values()].some(({ scan }) => scan.choose !== undefined)) return true;
    return !(await this.#areHot(bound.tables, scope)) || this.#o.distribution.isFor(bound, scope);
  }

  /** Whether all columns of all tables are in memory. */
  async #areHot(tables: BoundQuery['tables'], { session, relations }: SessionScope): Promise<boolean> {
    const { agent } = this.#o.tables!;
    const snapshot = await relations!.snapshot();
    return [...tables.values()].every(
      ({ table, rowPositions }) =>
        !rowPositions &&
        table.uncoveredBy === undefined &&
        agent.isHot(
          session,
          table.id,
          snapshot.contentsVersion(table.id),
          table.columns.map(({ id }) => id),
        ),
    );
  }
}

/** Whether a bound query is valid for later statements: it depends on no file and on no time but the date. */
export const isLasting = (bound: BoundQuery, { reads, relations }: SessionScope): boolean =>
  !reads.isTransient && relations?.transient !== true && bound.prepared.time !== 'pinned';
