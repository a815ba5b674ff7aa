import type { Action, ObjectId, Snapshot, TableObject } from '@tessera/catalog';
import { ownCommitIds, pause, TesseraError } from '@tessera/common';
import { type Kernel, quoteName } from '@tessera/kernel';
import { discardTablets } from '../changes/discard-tablets.ts';
import { withPartials } from '../changes/index-partials.ts';
import { type StoreContext, storeRows } from '../changes/store-rows.ts';
import { sessionOptions } from '../objects/session-options.ts';
import { isCertainlyNotCommitted } from '../transactions/transactions.ts';
import { type VacuumJob, type VacuumPolicy, vacuumJobs } from './vacuum-plan.ts';

export interface RewriteContext extends StoreContext {
  readonly kernel: Kernel;
  readonly signal: AbortSignal;
  /** The testing setting `debug_sleep_before_commit_ms`: allows a race between the work and its commit. */
  readonly sleepBeforeCommitMs: number;
}

export interface RewriteReport {
  readonly tabletsBefore: number;
  readonly tabletsAfter: number;
}

/** The jobs that vacuum would run for a table at the snapshot. */
export function plannedJobs(snapshot: Snapshot, tableId: ObjectId, policy: VacuumPolicy): VacuumJob[] {
  const states = snapshot.tablets(tableId).map((tablet) => ({
    tablet,
    deletedRows: snapshot.deletionVector(tableId, tablet.id)?.rows ?? 0,
  }));
  return vacuumJobs(states, policy);
}

/**
 * Replaces the tablets of a job by ones with the same rows, in a transaction of its own.
 * @throws TesseraError TRANSACTION_CONFLICT if another statement changed one of them meanwhile; nothing is
 * changed then
 */
export async function rewriteTablets(
  context: RewriteContext,
  snapshot: Snapshot,
  table: TableObject,
  { tablets }: VacuumJob,
): Promise<RewriteReport> {
  const { manager } = context.tables;
  const pins = [manager.pin(snapshot), manager.beginWrite()];
  try {
    const added = await mergedRows(context, snapshot, table, { tablets });
    const removed = tablets.map(
      ({ tablet }): Action => ({
        kind: 'remove_tablet',
        tableId: table.id,
        tabletId: tablet.id,
        reason: 'merge',
      }),
    );
    const actions = await withPartials(context, snapshot, [...removed, ...added]);
    try {
      if (context.sleepBeforeCommitMs > 0) {
        await pause(context.sleepBeforeCommitMs, { signal: context.signal });
      }
      context.signal.throwIfAborted();
      await manager.commit({
        ...ownCommitIds('vacuum-'),
        readVersion: snapshot.version,
        actions,
      });
    } catch (error) {
      if (!(error instanceof TesseraError) || isCertainlyNotCommitted(error)) {
        await discardTablets(context.tables, actions);
      }
      throw error;
    }
    return { tabletsBefore: tablets.length, tabletsAfter: added.length };
  } finally {
    for (const pin of pins) pin.release();
  }
}

async function mergedRows(
  context: RewriteContext,
  snapshot: Snapshot,
  table: TableObject,
  { tablets }: VacuumJob,
): Promise<readonly Action[]> {
  const live = tablets.filter(({ tablet, deletedRows }) => deletedRows < tablet.rows);
  if (live.length === 0) return [];
  const { signal } = context;
  const session = await context.kernel.session({ ...sessionOptions(context.settings), signal });
  try {
    const scan = await context.tables.agent.prepareScan({
      session,
      table,
      tablets: live.map(({ tablet }) => ({
        tablet,
        vector: snapshot.deletionVector(table.id, tablet.id),
      })),
      columns: table.columns.map(({ id }) => id),
      rowPositions: false,
      signal,
    });
    try {
      const items = table.columns.map(
        ({ name, storedName }) => `${quoteName(name)} AS ${quoteName(storedName)}`,
      );
      const sql = `SELECT ${items.join(', ')} FROM ${scan.sql} AS merged`;
      return (await storeRows(context, { session, table, sql, signal, areInTable: true })).actions;
    } finally {
      scan.release();
    }
  } finally {
    await session.close();
  }
}
