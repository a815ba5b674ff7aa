import type { ObjectId, Snapshot, TableObject } from '@tessera/catalog';
import { type Logger, startInterval, startTimer, TesseraError, type Timer } from '@tessera/common';
import type { AutoVacuum } from '@tessera/config';
import type { Kernel } from '@tessera/kernel';
import { DEFAULT_SETTINGS } from '../request/settings.ts';
import type { TableServices } from '../tables.ts';
import { fillIndexes } from './fill-indexes.ts';
import { plannedJobs, type RewriteContext } from './rewrite-tablets.ts';
import { isBad, type VacuumJob, type VacuumPolicy } from './vacuum-plan.ts';
import { runJobs } from './vacuum-table.ts';

export interface MaintenanceOptions {
  /** The settings of `engine.auto_vacuum`. */
  readonly autoVacuum: AutoVacuum;
  /** The setting `execution.merge_committed_tablets`. */
  readonly mergeCommittedTablets: boolean;
  /** The memory limit of the engine; `autoVacuum.memory_allowance` is a fraction of it. */
  readonly memoryLimitBytes: number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** Size-tiered merging: this many tablets of a tier are merged after commits. */
const MERGE_FACTOR = 10;
const MAX_TABLETS_IN_MERGE = 1_000;
/** The fraction of the engine's memory for one merge after commits; `engine.auto_vacuum` does not change it. */
const MERGE_MEMORY = 0.2;
/**
 * The delay between a commit of tablets and the check whether they can be merged; commits within it are
 * handled together.
 */
const MERGE_DELAY_MS = 500;
/**
 * The pause after a merge is this many times as long as the merge, within bounds, because commits continue
 * meanwhile.
 */
const PAUSE_FACTOR = 9;
const MAX_MERGE_DELAY_MS = 5_000;
const DELETED_FRACTION = 0.3;
/** Sorting and compressing rows needs about this much memory per byte of their tablets. */
const MEMORY_PER_TABLET_BYTE = 8;

/** The settings and values of sessions that belong to no user's statement. */
export const MAINTENANCE_SESSION = {
  settings: DEFAULT_SETTINGS,
  sessionValues: { account: '', database: '', engine: '', user: '' },
} as const;

/** Background work on tables: merging the tablets of small commits, and automatic vacuum. */
export class Maintenance {
  readonly #tables: TableServices;
  readonly #kernel: Kernel;
  readonly #options: MaintenanceOptions;
  readonly #abort = new AbortController();
  readonly #written = new Set<ObjectId>();
  #work: Promise<void> = Promise.resolve();
  #mergeTimer: Timer | undefined;
  #assessment: Timer | undefined;
  #sawChange = false;
  #mergeDelayMs = MERGE_DELAY_MS;

  constructor(tables: TableServices, kernel: Kernel, options: MaintenanceOptions) {
    this.#tables = tables;
    this.#kernel = kernel;
    this.#options = options;
    const { enabled, assessment_frequency } = options.autoVacuum;
    if (!enabled) return;
    this.#assessment = startInterval(() => this.#run(() => this.#assess()), assessment_frequency * 1_000);
    this.#assessment.unref();
  }

  /** Must be called after every commit that changed rows of tables. */
  committed(tableIds: Iterable<ObjectId>): void {
    const { autoVacuum, mergeCommittedTablets } = this.#options;
    if (!this.#sawChange && autoVacuum.enabled && autoVacuum.run_on_first_dml) {
      this.#run(() => this.#assess());
    }
    this.#sawChange = true;
    if (!mergeCommittedTablets) return;
    for (const id of tableIds) this.#written.add(id);
    if (this.#written.size === 0) return;
    this.#mergeTimer ??= startTimer(() => {
      this.#mergeTimer = undefined;
      this.#run(() => this.#mergeWritten());
    }, this.#mergeDelayMs).unref();
  }

  /** The number of tables that wait to be checked. */
  get waiting(): number {
    return this.#written.size;
  }

  /** Resolves when nothing is running or waiting. */
  async settled(): Promise<void> {
    while (this.#mergeTimer !== undefined) {
      this.#mergeTimer?.clear();
      this.#mergeTimer = undefined;
      this.#run(() => this.#mergeWritten());
      await this.#work;
    }
    await this.#work;
  }

  /** Stops running work; its commits are atomic. */
  async close(): Promise<void> {
    this.#assessment?.clear();
    this.#mergeTimer?.clear();
    this.#mergeTimer = undefined;
    this.#abort.abort(TesseraError.of('QUERY_CANCELLED', { reason: 'the node is shutting down' }));
    await this.#work;
  }

  /** Runs one piece of work at a time, so that maintenance never uses more than its share of the machine. */
  #run(work: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      if (this.#abort.signal.aborted) return;
      try {
        await work();
      } catch (error) {
        if (!this.#abort.signal.aborted)
          this.#options.log.warn({ err: error }, 'maintenance of tables failed');
      }
    });
  }

  async #mergeWritten(): Promise<void> {
    const startedAt = performance.now();
    await this.#mergeTables();
    const pauseMs = PAUSE_FACTOR * (performance.now() - startedAt);
    this.#mergeDelayMs = Math.min(MAX_MERGE_DELAY_MS, Math.max(MERGE_DELAY_MS, pauseMs));
  }

  async #mergeTables(): Promise<void> {
    const ids = [...this.#written];
    this.#written.clear();
    const snapshot = await this.#tables.manager.latest();
    for (const id of ids) {
      const table = snapshot.object(id);
      if (table?.kind !== 'table') continue;
      const policy = this.#policy(MERGE_FACTOR, MERGE_MEMORY);
      const jobs = plannedJobs(snapshot, id, { ...policy, deletedFraction: 1 });
      await this.#runJobs(snapshot, table, jobs, 1);
    }
  }

  async #assess(): Promise<void> {
    const { autoVacuum } = this.#options;
    const snapshot = await this.#tables.manager.latest();
    for (const table of tablesOf(snapshot)) {
      if (this.#abort.signal.aborted) return;
      // Concurrent jobs share the allowance.
      const share = autoVacuum.memory_allowance / autoVacuum.max_concurrency;
      const policy = { ...this.#policy(2, share), maxTabletsInJob: autoVacuum.max_tablets_in_job };
      const bad = snapshot.tablets(table.id).filter((tablet) => {
        const deletedRows = snapshot.deletionVector(table.id, tablet.id)?.rows ?? 0;
        return isBad({ tablet, deletedRows }, policy);
      });
      if (bad.length >= autoVacuum.min_bad_tablets_threshold) {
        const jobs = plannedJobs(snapshot, table.id, policy);
        await this.#runJobs(snapshot, table, jobs, autoVacuum.max_concurrency);
      }
      await fillIndexes(this.#context(), table.id);
    }
  }

  async #runJobs(
    snapshot: Snapshot,
    table: TableObject,
    jobs: readonly VacuumJob[],
    concurrency: number,
  ): Promise<void> {
    if (jobs.length === 0) return;
    const conflict = await runJobs(this.#context(), snapshot, table, jobs, concurrency);
    const tablets = jobs.reduce((sum, job) => sum + job.tablets.length, 0);
    this.#options.log.info({ table: table.name, tablets, jobs: jobs.length }, 'tablets merged');
    // The transaction that was first has committed, and its tablets are checked in turn.
    if (conflict !== undefined) this.committed([table.id]);
  }

  /** @param memoryShare the fraction of the engine's memory that one job may take */
  #policy(mergeFactor: number, memoryShare: number): VacuumPolicy {
    const allowedBytes = (this.#options.memoryLimitBytes * memoryShare) / MEMORY_PER_TABLET_BYTE;
    return {
      minBytes: Math.min(DEFAULT_SETTINGS.tablet_min_size_bytes, allowedBytes),
      maxBytes: Math.min(DEFAULT_SETTINGS.tablet_max_size_bytes, allowedBytes),
      deletedFraction: DELETED_FRACTION,
      mergeFactor,
      maxTabletsInJob: MAX_TABLETS_IN_MERGE,
    };
  }

  #context(): RewriteContext {
    return {
      tables: this.#tables,
      kernel: this.#kernel,
      ...MAINTENANCE_SESSION,
      signal: this.#abort.signal,
      sleepBeforeCommitMs: this.#options.autoVacuum.debug_sleep_before_commit_ms,
    };
  }
}

const tablesOf = (snapshot: Snapshot): TableObject[] =>
  snapshot
    .databases()
    .flatMap(({ id }) => snapshot.schemas(id))
    .flatMap(({ id }) => snapshot.relations(id))
    .filter((relation) => relation.kind === 'table');
