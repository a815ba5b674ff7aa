import { type Authorizer, ReadAuthority } from '@tessera/access-control';
import type { Snapshot } from '@tessera/catalog';
import { type Kernel, type KernelSession, quoteName } from '@tessera/kernel';
import type { ExternalSources } from '@tessera/object-store';
import type { PrepareContext } from '@tessera/sql';
import { sessionOptions } from '../objects/session-options.ts';
import type { StatementContext } from '../queries/statement-context.ts';
import type { KeptRows } from '../reuse/kept-parts.ts';
import { relationOf } from '../reuse/shared-table.ts';
import type { SequenceValues } from '../sequences/sequence-values.ts';
import { StatementSequences } from '../sequences/statement-sequences.ts';
import type { Transactions } from '../transactions/transactions.ts';
import type { ExecutionOptions } from './executable-query.ts';
import type { MirrorTables } from './mirror-tables.ts';
import { explainFailure } from './query-failure.ts';
import { type FilePartsOptions, ReadResolution } from './read-resolution.ts';
import { type PatternSource, StatementRelations, type SystemTable } from './statement-relations.ts';

export interface SessionServices {
  readonly kernel: Kernel;
  readonly external: ExternalSources;
  readonly authorizer: Authorizer;
  /** This and the next two are undefined if the node keeps no tables. */
  readonly mirror: MirrorTables | undefined;
  readonly sequenceValues: SequenceValues | undefined;
  readonly transactions: Transactions | undefined;
  /** The conditions under which several nodes may read files of the query. */
  fileParts(context: StatementContext, options: ExecutionOptions): FilePartsOptions | undefined;
  /** See `distinctPatterns`. */
  distinctPatterns(
    context: StatementContext,
    source: PatternSource,
    snapshot: Snapshot,
  ): Promise<readonly string[]>;
  /**
   * Finds or creates a table with the contents of a relation of information_schema or pg_catalog; undefined if there is no such relation.
   */
  systemRelation(
    scope: Pick<SessionScope, 'context' | 'options' | 'session' | 'keep'>,
    name: { readonly schema: string; readonly name: string },
    place: { readonly database: string; readonly snapshot: Snapshot },
  ): Promise<SystemTable | undefined>;
}

/**
 * A query that is being bound or run, and the resources that it holds: a kernel session, a snapshot, names,
 * files and sequence values. Disposing it releases all of them; it may be disposed repeatedly.
 */
export class SessionScope implements AsyncDisposable {
  readonly context: StatementContext;
  readonly options: ExecutionOptions;
  readonly session: KernelSession;
  readonly reads: ReadResolution;
  /** Undefined if the node keeps no tables. */
  readonly relations: StatementRelations | undefined;
  /** Undefined if the node keeps no tables. */
  readonly sequences: StatementSequences | undefined;
  readonly #held: { release(): void }[] = [];
  #released: Promise<void> | undefined;

  /** @throws the reason of the query's cancellation */
  static async open(
    services: SessionServices,
    context: StatementContext,
    options: ExecutionOptions,
  ): Promise<SessionScope> {
    const { signal } = context.query;
    signal.throwIfAborted();
    const { quarantine = false, neverRuns = false } = options;
    const how = sessionOptions(context.request.settings);
    const maxThreads = neverRuns ? 0 : how.maxThreads;
    const session = await services.kernel.session({ ...how, maxThreads, quarantine, signal });
    return new SessionScope(services, context, options, session);
  }

  private constructor(
    services: SessionServices,
    context: StatementContext,
    options: ExecutionOptions,
    session: KernelSession,
  ) {
    const { signal } = context.query;
    this.context = context;
    this.options = options;
    this.session = session;
    const { uploads, directory } = context.request;
    const parts = () => services.fileParts(context, options);
    const { external } = services;
    this.reads = new ReadResolution({ uploads, directory, external, session, parts, signal });
    this.relations = this.#relations(services);
    this.sequences = this.relations && this.#sequences(services, this.relations);
  }

  #relations(services: SessionServices): StatementRelations | undefined {
    const { mirror, authorizer } = services;
    if (mirror === undefined) return undefined;
    const { query, request, sessionValues, snapshot } = this.context;
    const { neverRuns = false, quarantine = false, rowPositionsOf, parts } = this.options;
    return new StatementRelations({
      mirror,
      timeZone: request.settings.timezone,
      signal: query.signal,
      snapshot,
      authority: readAuthority(authorizer, this.context, this.options),
      database: sessionValues.database,
      firstWithPositions: rowPositionsOf !== undefined,
      usesIndexes: request.settings.enable_aggregating_indexes,
      // A second session in quarantine would wait for this one.
      distinctPatterns:
        neverRuns || quarantine
          ? undefined
          : (source, read) => services.distinctPatterns(this.context, source, read),
      keptRows: (name) => parts?.get(name) && keptView(this.session, parts.get(name)!),
      plannedScan: (scanId) => this.reads.plannedScan(scanId),
      systemRelation: (name, database, read) =>
        services.systemRelation(this, name, { database, snapshot: read }),
    });
  }

  #sequences(services: SessionServices, relations: StatementRelations): StatementSequences | undefined {
    const snapshot = () => {
      relations.transient = true;
      return relations.snapshot();
    };
    return statementSequences(services, this.context, { ...this.options, session: this.session, snapshot });
  }

  /** What `sql` needs to prepare the text of the query. */
  get prepareContext(): PrepareContext {
    const { session, reads, relations, sequences } = this;
    const { request, sessionValues, query } = this.context;
    return {
      session,
      sequences,
      settings: request.settings,
      parameters: request.parameters,
      sessionValues,
      resolveRead: (call) => reads.resolve(call),
      recogniseUpload: async (url) => {
        const { args, note } = await reads.recognise(url);
        if (note !== undefined) query.notices.notice(note.message, { resolution: note.resolution });
        return args;
      },
      recogniseFile: async (call) => {
        const { args, note } = await reads.recogniseStored(call);
        if (note !== undefined) query.notices.notice(note.message, { resolution: note.resolution });
        return args;
      },
      warn: (message, resolution) => query.notices.warn(message, { resolution }),
      relations,
    };
  }

  /** Whether what was bound up to now reads a relation, a file or a sequence. */
  get readsSomething(): boolean {
    const { reads, relations, sequences } = this;
    const namesRelations = relations !== undefined && (relations.named.length > 0 || relations.transient);
    return reads.isTransient || namesRelations || sequences?.areUsed === true;
  }

  /** Releases something together with the query, before its snapshot. */
  keep(held: { release(): void }): void {
    this.#held.push(held);
  }

  /** Translates an error for the user. */
  explain(error: unknown): unknown {
    this.sequences?.failed(error);
    const { signal } = this.context.query;
    if (signal.aborted) return signal.reason;
    return explainFailure(error, {
      files: this.reads.files,
      isLastAttempt: this.options.quarantine === true,
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  async #release(): Promise<void> {
    await this.sequences?.end();
    await this.session.close();
    for (const one of this.#held) one.release();
    this.reads.release();
    await this.relations?.[Symbol.asyncDispose]();
  }
}

/** Creates a view of kept rows in a session and returns its name. */
async function keptView(session: KernelSession, { name, columns }: KeptRows): Promise<string> {
  const list = columns.map((column, i) => `c${i} AS ${quoteName(column.name)}`);
  await session.execute(
    `CREATE OR REPLACE TEMP VIEW ${quoteName(name)} AS SELECT ${list.join(', ')} FROM ${relationOf(name)}`,
  );
  return name;
}

/** The authority with which the user of a statement reads. */
export const readAuthority = (
  authorizer: Authorizer,
  { sessionValues }: Pick<StatementContext, 'sessionValues'>,
  { blindTarget }: Pick<ExecutionOptions, 'blindTarget'>,
): ReadAuthority => new ReadAuthority(authorizer, sessionValues.user, blindTarget);

/**
 * The sequence values for a query that runs in the session; undefined if the node keeps no tables. The caller
 * must end it.
 */
export function statementSequences(
  {
    authorizer,
    sequenceValues: values,
    transactions,
  }: Pick<SessionServices, 'authorizer' | 'sequenceValues' | 'transactions'>,
  context: StatementContext,
  {
    session,
    snapshot,
    neverRuns = false,
    blindTarget,
  }: Pick<ExecutionOptions, 'neverRuns' | 'blindTarget'> & {
    readonly session: KernelSession;
    readonly snapshot: () => Promise<Snapshot>;
  },
): StatementSequences | undefined {
  if (values === undefined) return undefined;
  const { query, request } = context;
  const { transactionId } = request;
  const authority = readAuthority(authorizer, context, { blindTarget });
  const draw = neverRuns ? {} : { demand: query.demand, session: request.drawn };
  const transaction = neverRuns || transactionId === undefined ? undefined : transactions?.get(transactionId);
  return new StatementSequences({ values, session, snapshot, authority, draw, transaction });
}
