import { type ObjectId, requireTable, type Snapshot, type TableObject } from '@tessera/catalog';
import { fail, retryDecision, TesseraError } from '@tessera/common';
import type { VacuumStatement } from '@tessera/sql';
import type { ChangeContext } from '../changes/change.ts';
import { inSession } from '../temporary/session-snapshot.ts';
import { fillIndexes } from './fill-indexes.ts';
import { plannedJobs, type RewriteContext, rewriteTablets } from './rewrite-tablets.ts';
import { vacuumJobEnds } from './vacuum-jobs.ts';
import type { VacuumJob, VacuumPolicy } from './vacuum-plan.ts';

/** The fraction of deleted rows above which VACUUM rewrites a tablet. */
const DELETED_FRACTION = 0.2;
const MAX_TABLETS_IN_JOB = 1_000;
/**
 * The number of rounds of jobs, each planned again: a job fails if a statement changes its tablets meanwhile.
 */
const MAX_ROUNDS = 6;
/** From this round on, other statements of this node that change the table wait. */
const EXCLUSIVE_FROM_ROUND = 3;

export interface VacuumSettings {
  readonly maxConcurrency: number;
  readonly sleepBeforeCommitMs: number;
}

/**
 * `VACUUM t`: merges small tablets and rewrites those with many deleted rows. Each job commits on its own.
 */
export async function vacuumTable(
  context: ChangeContext,
  { table: name, options }: VacuumStatement,
  { maxConcurrency, sleepBeforeCommitMs }: VacuumSettings,
): Promise<void> {
  const { run, tables, settings } = context;
  if (run.request.transactionId !== undefined) {
    fail('ACTIVE_TRANSACTION', { message: 'VACUUM cannot run inside a transaction' });
  }
  const policy: VacuumPolicy = {
    minBytes: settings.tablet_min_size_bytes,
    maxBytes: settings.tablet_max_size_bytes,
    deletedFraction: DELETED_FRACTION,
    mergeFactor: 2,
    maxTabletsInJob: MAX_TABLETS_IN_JOB,
  };
  const rewrite: RewriteContext = {
    tables,
    settings,
    sessionValues: context.sessionValues,
    kernel: run.kernel,
    signal: run.query.signal,
    sleepBeforeCommitMs,
  };
  const concurrency =
    options.max_concurrency === undefined ? maxConcurrency : Number(options.max_concurrency);
  const { id } = requireTable(
    inSession(await tables.manager.latest(), run.request.temporary),
    name,
    context.database,
  );
  for (let round = 1; ; round += 1) {
    const work = () => vacuumRound(rewrite, id, policy, concurrency);
    const conflict =
      round < EXCLUSIVE_FROM_ROUND ? await work() : await context.locks.with(id, rewrite.signal, work);
    if (conflict === undefined) return fillIndexes(rewrite, id);
    if (round === MAX_ROUNDS) throw conflict;
  }
}

/** Runs all jobs; returns the last conflict, if there was one. */
async function vacuumRound(
  context: RewriteContext,
  tableId: ObjectId,
  policy: VacuumPolicy,
  concurrency: number,
): Promise<TesseraError | undefined> {
  const snapshot = await context.tables.manager.latest();
  const table = snapshot.object(tableId);
  if (table?.kind !== 'table') return undefined;
  return runJobs(context, snapshot, table, plannedJobs(snapshot, tableId, policy), concurrency);
}

/** Runs jobs independently: a job that meets a conflict does not affect the others. */
export async function runJobs(
  context: RewriteContext,
  snapshot: Snapshot,
  table: TableObject,
  jobs: readonly VacuumJob[],
  concurrency: number,
): Promise<TesseraError | undefined> {
  const waiting = jobs.values();
  let conflict: TesseraError | undefined;
  const worker = async () => {
    for (const job of waiting) {
      try {
        await rewriteTablets(context, snapshot, table, job);
        vacuumJobEnds.emit({ outcome: 'ok', tablets: job.tablets.length });
      } catch (error) {
        const outcome = error instanceof TesseraError ? error.name : 'INTERNAL';
        vacuumJobEnds.emit({ outcome, tablets: job.tablets.length });
        if (retryDecision(error, 'commit') === undefined) throw error;
        conflict = error as TesseraError;
      }
    }
  };
  // Jobs wait for each other while other statements may remove what the snapshot refers to.
  const pin = context.tables.manager.pin(snapshot);
  const workers = Array.from({ length: Math.min(concurrency, jobs.length) }, worker);
  const ended = await Promise.allSettled(workers);
  pin.release();
  const failure = ended.find((end) => end.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  return conflict;
}
