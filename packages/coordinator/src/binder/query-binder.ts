import type { Authorizer } from '@tessera/access-control';
import { ReadAuthority } from '@tessera/access-control';
import type { RelationObject, Snapshot } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import { interruptOnAbort, type Kernel, type KernelSession, quoteName } from '@tessera/kernel';
import type { ExternalSources } from '@tessera/object-store';
import { PLAN_SQL, type TableScan, tableScans } from '@tessera/planner';
import {
  describeQuery,
  type ExplainStatement,
  locateValue,
  type PrepareContext,
  type PreparedQuery,
  prepareQuery,
  type QueryDescription,
  type SqlType,
  substituteScans,
} from '@tessera/sql';
import type { SystemFacts } from '@tessera/system-catalog';
import {
  loadSystemRelation,
  relationsOfDatabase,
  systemRelation,
  tellsOfViewColumns,
} from '@tessera/system-catalog';
import { LongStatements } from '../admission/long-statements.ts';
import type { ClusterServices } from '../distribution/cluster-services.ts';
import { type DistributedQuery, QueryDistribution } from '../distribution/query-distribution.ts';
import { NOTHING_SCANNED, plus } from '../queries/scan-totals.ts';
import type { BoundFiles, BoundQuery, BoundTable, NamedRelation } from '../read/bound-query.ts';
import { bytesToRead } from '../read/bytes-to-read.ts';
import type { BindRequest, ExecutableQuery } from '../read/executable-query.ts';
import { MirrorTables } from '../read/mirror-tables.ts';
import { filled, isFaithful, OpenBindings, openParameters } from '../read/open-parameters.ts';
import { bindingKey, QueryBindings } from '../read/query-bindings.ts';
import { QueryDescriptions } from '../read/query-descriptions.ts';
import { explainFailure } from '../read/query-failure.ts';
import { ReadResolution } from '../read/read-resolution.ts';
import { scannedFiles } from '../read/scanned-files.ts';
import { StatementRelations } from '../read/statement-relations.ts';
import type { StatementWork } from '../read/statement-work.ts';
import { scannedTables } from '../read/table-access.ts';
import { type PreparedScans, prepareScans, wantedOf } from '../read/table-scans.ts';
import { chooseTablets } from '../read/tablet-choice.ts';
import { isUnfetchedColumn } from '../read/unfetched-column.ts';
import { ViewColumns } from '../read/view-columns.ts';
import type { SequenceValues } from '../sequences/sequence-values.ts';
import { StatementSequences } from '../sequences/statement-sequences.ts';
import type { TableServices } from '../tables.ts';
import type { Transactions } from '../transactions/transactions.ts';
import { explainSql } from './explain.ts';
import type { ExplainedTable } from './explained-tables.ts';

export interface BinderServices {
  readonly kernel: Kernel;
  readonly external: ExternalSources;
  readonly authorizer: Authorizer;
  /** Undefined if the node keeps no tables. */
  readonly tables?: TableServices | undefined;
  /** The facts about the node for `information_schema`. */
  readonly systemFacts?: ((scope: SystemScope) => Promise<SystemFacts>) | undefined;
  /** If undefined, every query runs on this node. */
  readonly cluster?: ClusterServices | undefined;
  /** This and `transactions` are undefined if the node keeps no tables. */
  readonly sequenceValues?: SequenceValues | undefined;
  readonly transactions?: Transactions | undefined;
  /** See `QueryDistributionOptions`. */
  readonly columnStatisticsBytes?: number | undefined;
  /** See `CoordinatorOptions`. */
  readonly preparationBytes?: number | undefined;
}

/** Whether a statement is planned before it runs. */
type Planning = 'always' | 'where it matters' | 'never';

/** For whom `information_schema` is told, and of which catalog. */
export type SystemScope = Pick<
  SystemFacts,
  'snapshot' | 'database' | 'user' | 'protocol' | 'preparedStatements'
> & {
  /** The view that is read. */
  readonly view: string;
};

/**
 * Makes queries of the dialect ready to run: resolves names, chooses and fetches tablets, and opens a
 * session.
 */
export class QueryBinder {
  readonly #services: BinderServices;
  readonly #mirror: MirrorTables | undefined;
  readonly distribution: QueryDistribution;
  readonly #viewColumns = new ViewColumns();
  readonly #bindings = new QueryBindings();
  readonly #descriptions = new QueryDescriptions();
  readonly #openBindings = new OpenBindings();
  readonly #longStatements: LongStatements;
  /** Statements over tables whose plan was not understood, so that they read every column of every tablet. */
  unplanned = 0;

  constructor(services: BinderServices) {
    this.#services = services;
    const { cluster, columnStatisticsBytes, preparationBytes = Number.POSITIVE_INFINITY } = services;
    this.#longStatements = new LongStatements(preparationBytes);
    this.distribution = new QueryDistribution({
      cluster,
      agent: services.tables?.agent,
      columnStatisticsBytes,
    });
    this.#mirror = services.tables && new MirrorTables(services.tables.mirror);
  }

  /** See `QueryDistribution`. */
  get undistributed(): number {
    return this.distribution.undistributed;
  }

  /** See `QueryDistribution`. */
  get gathered(): number {
    return this.distribution.gathered;
  }

  /**
   * @throws TesseraError if the statement, its files or its tablets are invalid; the reason of its
   * cancellation
   */
  async bind(request: BindRequest): Promise<ExecutableQuery> {
    const work = await this.#open(request);
    try {
      const binding = await this.#binding(request, work);
      binding.uses += 1;
      const { prepared, named } = binding;
      const {
        sql,
        accesses,
        target,
        executed,
        isStored,
        readInParts = NOTHING_SCANNED,
      }: ReadableQuery = (work.sequences?.areUsed === true
        ? undefined
        : await this.distribution.run(binding, request, work)) ??
      (await this.#readable(request, work, binding));
      return {
        session: work.session,
        sql,
        params: prepared.parameters,
        columns: prepared.columns,
        isKept: binding.uses > 1 && prepared.readsNothing,
        target,
        relations: directly(named),
        sequences: work.sequences?.areUsed === true ? work.sequences : undefined,
        tables: accesses,
        scanned: plus(
          plus(scannedTables(accesses), readInParts),
          await scannedFiles(work.session, work.reads.filesReadHere, prepared.namedColumns),
        ),
        executed,
        isStored,
        files: work.reads.files,
        explain: (error) => {
          if (isUnfetchedColumn(error)) binding.looksAtAllNamed = true;
          return work.explain(locateValue(error, request.sql));
        },
        release: work.release,
      };
    } catch (error) {
      await work.release();
      throw work.explain(error);
    }
  }

  /** The columns of a query and the relations that it names, without fetching anything. */
  async outputOf(request: BindRequest): Promise<Pick<ExecutableQuery, 'columns' | 'relations'>> {
    const work = await this.#open(request);
    try {
      const { prepared, named } = await this.#prepare(request, work, 'never');
      return { columns: prepared.columns, relations: directly(named) };
    } catch (error) {
      throw work.explain(error);
    } finally {
      await work.release();
    }
  }

  /** The query that answers EXPLAIN; only ANALYZE fetches what the explained query reads. */
  async explain(request: BindRequest, statement: ExplainStatement): Promise<ExecutableQuery> {
    const work = await this.#open(request);
    try {
      const binding = await this.#prepare(request, work, 'always');
      const { prepared, named, tables, scans } = binding;
      let scanned = NOTHING_SCANNED;
      const explained = await this.#explainedTables(request, work, { tables, scans });
      const { sql, columns } = await explainSql(statement, {
        prepared,
        planner: prepared.boundSql === undefined ? work.session : await work.relations!.binder(),
        tables: explained,
        distribution: (await this.distribution.isFor(binding, request, work))
          ? await this.distribution.plan(binding, await work.relations!.snapshot(), request)
          : undefined,
        names: new Map([
          ...[...tables].map(([name, { table }]) => [name, table.name] as const),
          ...[...binding.files].map(([name, { scan }]) => [name, scan.url] as const),
        ]),
        run: async () => {
          const bound = await this.bind({ ...request, canRunAgain: false });
          work.keep({ release: () => void bound.release() });
          scanned = plus(scanned, bound.scanned);
          return bound;
        },
      });
      await work.relations?.unbind();
      return {
        session: work.session,
        sql,
        params: [],
        columns,
        relations: named.map(({ object }) => object),
        scanned,
        tables: [],
        files: [],
        explain: work.explain,
        release: work.release,
      };
    } catch (error) {
      await work.release();
      throw work.explain(error);
    }
  }

  async #explainedTables(
    { signal }: BindRequest,
    { session, relations }: StatementWork,
    binding: Pick<BoundQuery, 'tables' | 'scans'>,
  ): Promise<readonly ExplainedTable[]> {
    if (binding.tables.size === 0) return [];
    const { agent } = this.#services.tables!;
    const snapshot = await relations!.snapshot();
    const scope = { agent, session, snapshot, isNarrow: true, signal };
    return Promise.all(
      [...binding.tables].map(async ([name, bound]) => {
        const { tablets, selection, isHot, access } = await chooseTablets(
          bound,
          wantedOf(binding, name),
          scope,
        );
        const columns = selection.columns.map(({ id }) => id);
        const bytes = isHot ? 0 : await bytesToRead(agent, bound.table, tablets, columns, signal);
        return { access, tablets, isHot, bytesToRead: bytes };
      }),
    );
  }

  /** The parameters and the result of a query; `asked` as in `describeQuery`. */
  async describe(request: BindRequest, asked?: readonly SqlType[]): Promise<QueryDescription> {
    const work = await this.#open(request);
    const { reads, relations } = work;
    try {
      const key = bindingKey(request, asked);
      const known =
        key === undefined ? undefined : await this.#descriptions.get(key, () => relations!.snapshot());
      if (known !== undefined) {
        await this.#authorizeAgain(known, request, work);
        return known.description;
      }
      const description = await this.#longStatements.prepare(request.sql, request.signal, () =>
        describeQuery(request.sql, prepareContext(request, work), asked),
      );
      const isLasting = reads.files.length === 0 && !reads.listsObjects && relations?.transient !== true;
      if (key !== undefined && isLasting) {
        this.#descriptions.add(key, { description, named: relations?.named ?? [] });
      }
      return description;
    } catch (error) {
      throw work.explain(error);
    } finally {
      await work.release();
    }
  }

  async #open(request: BindRequest): Promise<StatementWork> {
    const { signal, settings, quarantine = false } = request;
    signal.throwIfAborted();
    const session = await this.#services.kernel.session({ timeZone: settings.timezone, quarantine });
    const stopInterrupting = interruptOnAbort(session, signal);
    const parts = this.distribution.fileParts(request);
    const reads = new ReadResolution({ ...request, ...this.#services, session, parts });
    const relations = this.#relations(request, session, reads);
    const sequences = this.sequences(
      request,
      session,
      relations &&
        (() => {
          relations.transient = true;
          return relations.snapshot();
        }),
    );
    const held: { release(): void }[] = [];
    let released: Promise<void> | undefined;
    const free = async () => {
      stopInterrupting();
      await sequences?.end();
      await session.close();
      for (const one of held) one.release();
      reads.release();
      await relations?.[Symbol.asyncDispose]();
    };
    return {
      session,
      reads,
      relations,
      sequences,
      keep: (one) => void held.push(one),
      explain: (error) => {
        sequences?.failed(error);
        return signal.aborted
          ? signal.reason
          : explainFailure(error, { files: reads.files, isLastAttempt: quarantine });
      },
      release: () => {
        released ??= free();
        return released;
      },
    };
  }

  /** The sequence values for a statement that runs in the session; undefined if the node keeps no tables. */
  sequences(
    request: Pick<BindRequest, 'sessionValues' | 'blindTarget' | 'draws'>,
    session: KernelSession,
    snapshot: (() => Promise<Snapshot>) | undefined,
  ): StatementSequences | undefined {
    const { sequenceValues: values, transactions } = this.#services;
    if (values === undefined || snapshot === undefined) return undefined;
    const { transactionId, ...draw } = request.draws ?? {};
    const authority = this.#authority(request);
    const transaction = transactionId === undefined ? undefined : transactions?.get(transactionId);
    return new StatementSequences({ values, session, snapshot, authority, draw, transaction });
  }

  #relations(
    request: BindRequest,
    session: KernelSession,
    reads: ReadResolution,
  ): StatementRelations | undefined {
    if (this.#mirror === undefined) return undefined;
    return new StatementRelations({
      mirror: this.#mirror,
      timeZone: request.settings.timezone,
      snapshot: request.snapshot,
      authority: this.#authority(request),
      database: request.sessionValues.database,
      firstWithPositions: request.rowPositionsOf !== undefined,
      plannedScan: (scanId) => reads.plannedScan(scanId),
      systemRelation: async (name, database, snapshot) => {
        const { user, protocol } = request.sessionValues;
        const preparedStatements = request.preparedStatements?.() ?? [];
        const scope = { view: name.name, snapshot, database, user, protocol, preparedStatements };
        const facts = await this.#services.systemFacts?.(scope);
        if (facts === undefined) return undefined;
        const viewColumns = tellsOfViewColumns(name)
          ? await this.#columnsOfViews(facts, request)
          : facts.viewColumns;
        const relation = systemRelation(name, { ...facts, viewColumns });
        if (relation === undefined) return undefined;
        const table = `${name.schema}.${name.name}.${database}`;
        await loadSystemRelation(session, table, relation);
        return table;
      },
    });
  }

  /** The columns of views, determined with the privileges of their owners. */
  #columnsOfViews(facts: SystemFacts, request: BindRequest): Promise<SystemFacts['viewColumns']> {
    const { snapshot, database } = facts;
    const placed = [...relationsOfDatabase(facts)].flatMap(({ schema, relation }) =>
      relation.kind === 'view' ? [{ schema, view: relation }] : [],
    );
    const schemas = new Map(placed.map(({ schema, view }) => [view.id, schema.name]));
    const views = placed.map(({ view }) => view);
    return this.#viewColumns.of(views, snapshot, async (view) => {
      const { signal, settings, uploads, directory, sessionValues } = request;
      const asOwner: BindRequest = {
        sql: `SELECT * FROM ${quoteName(schemas.get(view.id)!)}.${quoteName(view.name)}`,
        parameters: [],
        signal,
        settings,
        uploads,
        directory,
        sessionValues: { ...sessionValues, database, user: view.owner },
        snapshot: async () => ({ snapshot, release: () => undefined }),
      };
      const work = await this.#open(asOwner);
      try {
        const { prepared, named } = await this.#prepare(asOwner, work, 'never');
        return { columns: prepared.columns, named };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof TesseraError && error.name === 'KERNEL_LOST') throw error;
        return { columns: [], named: [] };
      } finally {
        await work.release();
      }
    });
  }

  #authority({
    sessionValues,
    blindTarget,
  }: Pick<BindRequest, 'sessionValues' | 'blindTarget'>): ReadAuthority {
    return new ReadAuthority(this.#services.authorizer, sessionValues.user, blindTarget);
  }

  async #binding(request: BindRequest, work: StatementWork): Promise<BoundQuery> {
    const { reads, relations } = work;
    const key = bindingKey(request);
    const known = key === undefined ? undefined : await this.#bindings.get(key, () => relations!.snapshot());
    if (known !== undefined) await this.#authorizeAgain(known, request, work);
    if (known !== undefined && !(await this.#needsPlan(known, request, work))) return known;
    const open = known === undefined ? await this.#filled(request, work) : undefined;
    if (open !== undefined) return open;
    const binding = await this.#prepare(request, work, 'where it matters');
    await relations?.unbind();
    const isLasting =
      reads.files.length === 0 &&
      !reads.listsObjects &&
      relations?.transient !== true &&
      binding.prepared.time !== 'pinned';
    if (key !== undefined && isLasting) {
      this.#bindings.add(key, binding);
      await this.#bindOpen(request, binding);
    }
    return binding;
  }

  /**
   * The generic plan of a statement with the values of the request; undefined if it needs a plan of its own.
   */
  async #filled(request: BindRequest, work: StatementWork): Promise<BoundQuery | undefined> {
    const open = openParameters(request.parameters);
    const key = open && bindingKey({ ...request, parameters: open.parameters });
    if (open === undefined || key === undefined) return undefined;
    const known = await this.#openBindings.get(key, () => work.relations!.snapshot());
    if (known === undefined) return undefined;
    await this.#authorizeAgain(known, request, work);
    return (await this.#needsPlan(known, request, work)) ? undefined : filled(known, open);
  }

  /**
   * Binds a statement for all values of its parameters when it occurs with the second list of values, if no
   * plan was needed.
   */
  async #bindOpen(request: BindRequest, bound: BoundQuery): Promise<void> {
    if (bound.isPlanned && bound.tables.size > 0) return;
    const open = openParameters(request.parameters);
    const key = open && bindingKey({ ...request, parameters: open.parameters });
    if (open === undefined || key === undefined || !this.#openBindings.isDue(key)) return;
    const asked = { ...request, parameters: open.parameters };
    const work = await this.#open(asked);
    try {
      const binding = await this.#prepare(asked, work, 'never');
      if (isFaithful(binding, bound, open)) this.#openBindings.add(key, binding);
    } catch (error) {
      // The values affect the meaning of the statement, so it is always bound with them.
      if (!(error instanceof TesseraError)) throw error;
    } finally {
      await work.release();
    }
  }

  /**
   * Checks privileges again: a statement that was bound before was allowed then, but grants may change while
   * its relations do not.
   */
  async #authorizeAgain(
    { named }: Pick<BoundQuery, 'named'>,
    request: BindRequest,
    { relations }: StatementWork,
  ): Promise<void> {
    if (named.length === 0) return;
    const authority = this.#authority(request);
    const snapshot = await relations!.snapshot();
    for (const { object, view, name } of named)
      authority.readAgain(snapshot, object, { view, location: name.location });
  }

  /** Leaves the binder's session open. */
  #prepare(request: BindRequest, work: StatementWork, planning: Planning): Promise<BoundQuery> {
    return this.#longStatements.prepare(request.sql, request.signal, () =>
      this.#prepareNow(request, work, planning),
    );
  }

  async #prepareNow(request: BindRequest, work: StatementWork, planning: Planning): Promise<BoundQuery> {
    const { relations } = work;
    const prepared = await prepareQuery(request.sql, prepareContext(request, work));
    const { named = [], tables = NO_TABLES, files = NO_FILES } = relations ?? {};
    const binding = { prepared, named, tables, files, looksAtAllNamed: false, uses: 0 };
    if (tables.size === 0 && files.size === 0) return { ...binding, scans: NO_SCANS, isPlanned: true };
    const unplanned = { ...binding, scans: undefined, isPlanned: false };
    if (planning === 'never') return unplanned;
    if (planning === 'where it matters' && !(await this.#needsPlan(unplanned, request, work)))
      return unplanned;
    return { ...binding, ...(await this.#analyse(prepared, relations!)), isPlanned: true };
  }

  /** Whether a plan is needed and does not exist yet. */
  async #needsPlan(binding: BoundQuery, request: BindRequest, work: StatementWork): Promise<boolean> {
    if (binding.isPlanned) return false;
    return !(await this.#areHot(binding.tables, work)) || this.distribution.isFor(binding, request, work);
  }

  /** Whether all columns of all tables are in memory. */
  async #areHot(tables: BoundQuery['tables'], { session, relations }: StatementWork): Promise<boolean> {
    const { agent } = this.#services.tables!;
    const snapshot = await relations!.snapshot();
    return [...tables.values()].every(
      ({ table, rowPositions }) =>
        !rowPositions &&
        agent.isHot(
          session,
          table.id,
          snapshot.contentsVersion(table.id),
          table.columns.map(({ id }) => id),
        ),
    );
  }

  /** The SQL to run, with all data that it reads available. */
  async #readable(
    { signal, canRunAgain = false, rowPositionsOf }: BindRequest,
    { session, relations, reads, keep }: StatementWork,
    binding: BoundQuery,
  ): Promise<ReadableQuery> {
    await reads.readAlone();
    const { prepared, tables, looksAtAllNamed } = binding;
    if (tables.size === 0) return { sql: prepared.sql, accesses: [], target: undefined };
    const { agent } = this.#services.tables!;
    const snapshot = await relations!.snapshot();
    const isNarrow = canRunAgain && !looksAtAllNamed;
    const query = rowPositionsOf === undefined ? prepared : undefined;
    const scans = await prepareScans(binding, { agent, session, snapshot, isNarrow, query, signal });
    keep(scans);
    return { ...scans, sql: substituteScans(prepared.sql, prepared.tables, scans.sources) };
  }

  async #analyse(
    { boundSql, time }: PreparedQuery,
    relations: StatementRelations,
  ): Promise<Pick<BoundQuery, 'scans' | 'serializedPlan'>> {
    const binder = await relations.binder();
    try {
      const serializedPlan = String(await binder.scalar(PLAN_SQL, [boundSql ?? '']));
      const scans = tableScans(serializedPlan);
      // The clock of the planning kernel may differ from that of the running kernel.
      const timeless = time === 'free' ? scans.map((scan) => ({ ...scan, filters: [[]] })) : scans;
      return {
        scans: new Map(timeless.map((scan) => [scan.relation, scan])),
        serializedPlan: time === 'free' ? undefined : serializedPlan,
      };
    } catch (error) {
      if (error instanceof TesseraError && error.name === 'KERNEL_LOST') throw error;
      this.unplanned += 1;
      return { scans: undefined };
    }
  }
}

/** The SQL to run, with the scans and reads that it is based on. */
type ReadableQuery = { readonly sql: string } & Pick<PreparedScans, 'accesses'> &
  Partial<Pick<PreparedScans, 'target'>> &
  Partial<Pick<DistributedQuery, 'readInParts'>> &
  Pick<ExecutableQuery, 'executed' | 'isStored'>;

/** The relations that the text names itself, not through views. */
const directly = (named: readonly NamedRelation[]): readonly RelationObject[] =>
  named.filter(({ view }) => view === undefined).map(({ object }) => object);

const prepareContext = (
  request: BindRequest,
  { session, reads, relations, sequences }: StatementWork,
): PrepareContext => ({
  session,
  sequences,
  settings: request.settings,
  parameters: request.parameters,
  sessionValues: request.sessionValues,
  resolveRead: (call) => reads.resolve(call),
  warn: request.warn,
  relations,
});

const NO_TABLES: ReadonlyMap<string, BoundTable> = new Map();
const NO_FILES: ReadonlyMap<string, BoundFiles> = new Map();
const NO_SCANS: ReadonlyMap<string, TableScan> = new Map();
