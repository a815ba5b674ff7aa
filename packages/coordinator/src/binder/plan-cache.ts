import type { Snapshot } from '@tessera/catalog';
import {
  dateIn,
  literalSkeleton,
  type QueryDescription,
  type QueryParameter,
  type SqlType,
} from '@tessera/sql';
import type { StatementContext } from '../queries/statement-context.ts';
import type { BoundQuery, NamedRelation } from '../read/bound-query.ts';
import type { ExecutionOptions } from '../read/executable-query.ts';
import { indexCoverage, indexReads } from '../read/index-coverage.ts';
import { plannedRows } from '../read/mirror-tables.ts';
import type { SessionScope } from '../read/session-scope.ts';
import { findRelation } from '../read/statement-relations.ts';
import { type GenericParameters, genericParameters, isFaithful } from './generic-plans.ts';
import { type LiteralPlan, literalPlan, withLiterals } from './literal-plans.ts';

const MAX_ENTRIES = 1_000;
/** The total length of the cached plans, in characters. */
const MAX_PLAN_LENGTH = 16_777_216;
/** Longer statements are rarely repeated and would fill the memory. */
const MAX_KEY_LENGTH = 32_768;

/** Everything that a bound query depends on, except the relations that it names. */
type PlanKey = string;

/** A query that is looked up: only a query that names relations reads the snapshot. */
type CachedQuery = Pick<SessionScope, 'context' | 'options'> & {
  readonly relations?: Pick<NonNullable<SessionScope['relations']>, 'snapshot'> | undefined;
};

export interface DescribedQuery {
  readonly description: QueryDescription;
  readonly named: readonly NamedRelation[];
}

/** A generic plan, and the values of the statement that it was found for. */
export interface GenericPlan {
  readonly bound: BoundQuery;
  readonly parameters: GenericParameters;
}

/**
 * Bound queries and descriptions by text, values and session, and generic plans by text alone. An entry is
 * returned only if every name still refers to the same object and every table has about the same size.
 * Privileges are not part of it: the caller checks them again.
 */
export class PlanCache {
  readonly #plans = new LeastRecentlyUsed(planLength);
  readonly #genericPlans = new LeastRecentlyUsed(planLength);
  readonly #literalPlans = new LeastRecentlyUsed<LiteralPlan>(({ bound }) => planLength(bound));
  readonly #descriptions = new LeastRecentlyUsed<DescribedQuery>(() => 0);
  /** Statements that occurred with a second list of values, and whether a generic plan was tried. */
  readonly #tried = new Map<PlanKey, boolean>();

  /** The query as it was bound before, if it still means the same. */
  get(query: CachedQuery): Promise<BoundQuery | undefined> {
    const { timezone } = query.context.request.settings;
    const holds = (bound: BoundQuery, snapshot: Snapshot) =>
      isOfToday(bound, timezone) && stillHolds(bound, snapshot);
    return held(this.#plans, planKey(query.context, query.options), query, holds);
  }

  /** Does nothing for statements that are not worth caching. */
  add({ context, options }: CachedQuery, bound: BoundQuery): void {
    this.#plans.add(planKey(context, options), bound);
  }

  /** The generic plan of a statement, whatever values it had before. */
  async generic(query: CachedQuery): Promise<GenericPlan | undefined> {
    const { parameters, key } = genericKey(query);
    if (parameters === undefined) return undefined;
    const bound = await held(this.#genericPlans, key, query, stillHolds);
    return bound && { bound, parameters };
  }

  /**
   * The parameters to bind a statement with for a generic plan; undefined if it is not the time for one: the
   * statement must have occurred with other values, a plan must not have been tried yet, and `bound` must not
   * depend on the values through its plan.
   */
  dueGeneric(query: CachedQuery, bound: BoundQuery): GenericParameters | undefined {
    if (bound.isPlanned && bound.tables.size > 0) return undefined;
    const { parameters, key } = genericKey(query);
    if (parameters === undefined || key === undefined || !this.#isDue(key)) return undefined;
    return parameters;
  }

  /**
   * Adds a generic plan unless the values affect the meaning of the statement. When it becomes invalid,
   * another one may be tried.
   */
  addGeneric(query: CachedQuery, { bound: generic, parameters }: GenericPlan, bound: BoundQuery): void {
    const { key } = genericKey(query);
    if (key === undefined || !isFaithful(generic, bound, parameters)) return;
    this.#tried.set(key, false);
    this.#genericPlans.add(key, generic);
  }

  /** The query for a statement that differs from earlier ones in literals only, if these do not change its meaning. */
  async withLiterals(query: CachedQuery): Promise<BoundQuery | undefined> {
    const skeleton = literalSkeleton(query.context.text);
    if (skeleton === undefined) return undefined;
    const key = planKey(query.context, query.options, { text: skeleton.key });
    const plan = this.#literalPlans.take(key);
    if (plan === undefined) return undefined;
    const { bound } = plan;
    if (bound.named.length > 0 && !stillHolds(bound, await query.relations!.snapshot())) return undefined;
    this.#literalPlans.add(key, plan);
    return withLiterals(plan, skeleton);
  }

  /** Compares a query that was bound with earlier ones that differ from it in literals only. */
  addLiterals({ context, options }: CachedQuery, bound: BoundQuery): void {
    const skeleton = literalSkeleton(context.text);
    const key = skeleton && planKey(context, options, { text: skeleton.key });
    if (skeleton === undefined || key === undefined) return;
    const plan = literalPlan(this.#literalPlans.take(key), bound, skeleton);
    if (plan !== undefined) this.#literalPlans.add(key, plan);
  }

  /** @param asked further inputs of the description */
  description(query: CachedQuery, asked?: readonly SqlType[]): Promise<DescribedQuery | undefined> {
    const key = planKey(query.context, query.options, { asked });
    return held(this.#descriptions, key, query, ({ named }, snapshot) => namesHold(named, snapshot));
  }

  addDescription(
    { context, options }: CachedQuery,
    described: DescribedQuery,
    asked?: readonly SqlType[],
  ): void {
    this.#descriptions.add(planKey(context, options, { asked }), described);
  }

  #isDue(key: PlanKey): boolean {
    const tried = this.#tried.get(key);
    this.#tried.delete(key);
    this.#tried.set(key, tried !== undefined);
    const [oldest] = this.#tried.keys();
    if (this.#tried.size > MAX_ENTRIES && oldest !== undefined) this.#tried.delete(oldest);
    return tried === false;
  }
}

async function held<T extends { readonly named: readonly NamedRelation[] }>(
  entries: LeastRecentlyUsed<T>,
  key: PlanKey | undefined,
  { relations }: CachedQuery,
  holds: (found: T, snapshot: Snapshot) => boolean,
): Promise<T | undefined> {
  const found = entries.take(key);
  if (found === undefined) return undefined;
  if (found.named.length > 0 && !holds(found, await relations!.snapshot())) return undefined;
  entries.add(key, found);
  return found;
}

/** Undefined for statements that are not worth caching. */
function planKey(
  { text: ownText, request, sessionValues }: StatementContext,
  { rowPositionsOf }: ExecutionOptions,
  more: {
    readonly text?: string;
    readonly parameters?: readonly QueryParameter[];
    readonly asked?: readonly SqlType[] | undefined;
  } = {},
): PlanKey | undefined {
  const { text = ownText, parameters = request.parameters, asked } = more;
  if (text.length > MAX_KEY_LENGTH) return undefined;
  const values = parameters.map(({ name, value, type, isGeneric }) => [
    name,
    typeof value,
    isGeneric ? null : String(value),
    type,
  ]);
  const { database, user, protocol } = sessionValues;
  const { timezone, enable_aggregating_indexes } = request.settings;
  const session = [timezone, enable_aggregating_indexes, database, user, protocol];
  const key = JSON.stringify([session, rowPositionsOf ?? '', text, values, asked]);
  return key.length > MAX_KEY_LENGTH ? undefined : key;
}

function genericKey({ context, options }: CachedQuery): {
  readonly parameters?: GenericParameters | undefined;
  readonly key?: PlanKey | undefined;
} {
  const generic = genericParameters(context.request.parameters);
  if (generic === undefined) return {};
  return { parameters: generic, key: planKey(context, options, { parameters: generic.parameters }) };
}

/** Whether names still refer to the same objects. */
export const namesHold = (named: BoundQuery['named'], snapshot: Snapshot): boolean =>
  named.every(
    ({ name, database, object, view }) =>
      findRelation(snapshot, { name, database, inView: view !== undefined }) === object,
  );

const stillHolds = ({ named, tables, indexes, patterns }: BoundQuery, snapshot: Snapshot): boolean =>
  namesHold(named, snapshot) &&
  indexes.every(
    ({ table, partials, reads }) => indexReads(indexCoverage(snapshot, table, partials)) === reads,
  ) &&
  patterns.every(({ table, version }) => snapshot.contentsVersion(table.id) === version) &&
  [...tables.values()].every(({ table, plannedRows: rows }) => plannedRows(snapshot, table) === rows);

/** Whether a query that contains the current date is of this day. */
const isOfToday = ({ prepared: { date } }: BoundQuery, timeZone: string): boolean =>
  date === undefined || date === dateIn(timeZone, new Date());

/** A bounded map that drops the entries that were not used for the longest time. */
class LeastRecentlyUsed<T> {
  readonly #entries = new Map<PlanKey, T>();
  readonly #planLengthOf: (entry: T) => number;
  #planLength = 0;

  constructor(planLengthOf: (entry: T) => number) {
    this.#planLengthOf = planLengthOf;
  }

  /** Removes an entry and returns it. */
  take(key: PlanKey | undefined): T | undefined {
    const found = key === undefined ? undefined : this.#entries.get(key);
    if (key === undefined || found === undefined) return undefined;
    this.#planLength -= this.#planLengthOf(found);
    this.#entries.delete(key);
    return found;
  }

  add(key: PlanKey | undefined, entry: T): void {
    if (key === undefined) return;
    this.take(key);
    this.#entries.set(key, entry);
    this.#planLength += this.#planLengthOf(entry);
    for (const [oldest] of this.#entries) {
      if (this.#entries.size <= MAX_ENTRIES && this.#planLength <= MAX_PLAN_LENGTH) return;
      this.take(oldest);
    }
  }
}

const planLength = ({ serializedPlan }: BoundQuery): number => serializedPlan?.length ?? 0;
