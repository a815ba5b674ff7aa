import type { TableObject, Tablet } from '@tessera/catalog';
import { newUlid } from '@tessera/common';
import type { KernelSession } from '@tessera/kernel';
import type { HybridHeader } from '@tessera/tablet';
import type { LocalTablet, TabletNeed } from '../local/local-tablets.ts';
import { neededRows } from '../scan/file-scan.ts';
import { type RowRange, rowsIn } from '../scan/row-ranges.ts';
import { granulesIn, rowsOf, storedBytes } from '../scan/scan-rows.ts';
import { columnsWithKey, granulesWithKeys } from '../scan/tablet-keys.ts';
import type { ScanTablet } from '../storage-agent.ts';
import { ResidentTable, type ResidentTableKey } from './resident-table.ts';
import { type Deletion, positionsToDelete } from './resident-table-change.ts';
import {
  appendTablets,
  compactResidentTables,
  createResidentTable,
  deletePositions,
  dropResidentTable,
  tableMemory,
} from './resident-table-loader.ts';
import {
  estimatedMemory,
  fitsUncompressed,
  groupBytes,
  type Room,
  tabletGroups,
  tabletsThatFit,
  variedTexts,
} from './resident-table-size.ts';
import type { Desired } from './table-demand.ts';

export interface ResidentTableWorkerOptions {
  readonly memoryLimitBytes: number;
  now(): number;
  /** Makes a tablet readable. */
  acquire(need: TabletNeed): Promise<LocalTablet>;
  header(table: TableObject, tablet: Tablet): Promise<HybridHeader>;
  deletedRows(scan: ScanTablet): Promise<readonly RowRange[]>;
}

/**
 * A resident table is compressed again if this fraction of its positions was deleted at once, or this much
 * was appended.
 */
const MUCH_DELETED = 0.1;
const MUCH_APPENDED_BYTES = 64 << 20;
/** Rows are compressed after a group of more than this share of the largest one. */
const LARGE_GROUP_SHARE = 0.5;

/** The operations on resident tables in the kernel. The caller ensures that the affected scans have ended. */
export class ResidentTableWorker {
  readonly #o: ResidentTableWorkerOptions;

  constructor(options: ResidentTableWorkerOptions) {
    this.#o = options;
  }

  /** Builds a resident table from the first tablets that fit; undefined if none fits. */
  async build(
    session: KernelSession,
    key: ResidentTableKey,
    desired: Desired,
    room: Room,
  ): Promise<{ resident: ResidentTable; isComplete: boolean } | undefined> {
    const tablets = tabletsThatFit(desired, desired.tablets, room);
    if (tablets.length === 0) return undefined;
    const used = await tableMemory(session);
    const isSmall = fitsUncompressed(used + estimatedMemory(desired, tablets), this.#o.memoryLimitBytes);
    const resident = new ResidentTable(
      `i_${newUlid().toLowerCase()}`,
      key,
      desired.columns,
      isSmall ? variedTexts(desired, tablets) : new Set(),
      this.#o.now(),
    );
    try {
      await createResidentTable(session, resident);
      await this.#append(session, resident, desired, tablets);
      await compactResidentTables(session);
    } catch (error) {
      await dropResidentTable(session, resident).catch(() => undefined);
      throw error;
    }
    resident.bytes = Math.max(0, (await tableMemory(session)) - used);
    const isComplete = tablets.length === desired.tablets.length;
    if (isComplete) resident.isNow(desired);
    else resident.share = desired.share;
    return { resident, isComplete };
  }

  /**
   * Deletes rows, then appends as much as fits. Returns whether everything fitted. After a failure the
   * resident table must not be used.
   */
  async change(
    session: KernelSession,
    resident: ResidentTable,
    desired: Desired,
    append: readonly ScanTablet[],
    deletions: readonly Deletion[],
    room: Room,
  ): Promise<boolean> {
    const tablets = tabletsThatFit(desired, append, room);
    const used = await tableMemory(session);
    const gone = await applyDeletions(session, resident, deletions);
    await this.#append(session, resident, desired, tablets);
    const isMuch = estimatedMemory(desired, tablets) > MUCH_APPENDED_BYTES;
    if (isMuch || gone > resident.nextPosition * MUCH_DELETED) await compactResidentTables(session);
    resident.bytes = Math.max(0, resident.bytes + (await tableMemory(session)) - used);
    return tablets.length === append.length;
  }

  /** Deletes rows and releases their memory. */
  async shrink(
    session: KernelSession,
    resident: ResidentTable,
    deletions: readonly Deletion[],
  ): Promise<void> {
    const used = await tableMemory(session);
    await applyDeletions(session, resident, deletions);
    await compactResidentTables(session);
    resident.bytes = Math.max(0, resident.bytes + (await tableMemory(session)) - used);
  }

  async #append(
    session: KernelSession,
    resident: ResidentTable,
    desired: Desired,
    tablets: readonly ScanTablet[],
  ): Promise<void> {
    const columns = [...resident.columns.keys()];
    const mostBytes = groupBytes(this.#o.memoryLimitBytes);
    for (const group of tabletGroups(desired, tablets, mostBytes)) {
      const deleted = await Promise.all(group.map((scan) => this.#o.deletedRows(scan)));
      const { table } = desired;
      const acquired = await Promise.allSettled(
        group.map(async (scan) => {
          const { tablet } = scan;
          const rows = rowsOf(scan);
          // The kernel skips row groups only for a single range, so several ranges require a file without
          // holes.
          const isWhole = scan.rows === undefined && scan.keys === undefined;
          const header = isWhole ? undefined : await this.#o.header(table, tablet);
          const needed = header && scan.keys && granulesWithKeys(table, header, scan.keys, undefined);
          const held = header && granulesIn(rows, header.granuleRows, needed);
          const isOneRange = rows.length === 1;
          const local = await this.#o.acquire({
            table,
            tablet,
            columns: columnsWithKey(columns, scan.keys),
            granules: isOneRange ? held : undefined,
          });
          const columnBytes =
            header === undefined
              ? local.columnBytes
              : storedBytes(header, scan.keys ? undefined : held, scan);
          const runs =
            needed && isOneRange ? neededRows({ scan: { ...scan, granules: held }, header }) : undefined;
          return { ...local, columnBytes, runs };
        }),
      );
      const locals = acquired.filter((result) => result.status === 'fulfilled').map((result) => result.value);
      try {
        const failure = acquired.find((result) => result.status === 'rejected');
        if (failure !== undefined) throw failure.reason;
        const loadable = group.map((scan, i) => ({
          scan,
          local: locals[i]!,
          deleted: deleted[i]!,
          runs: locals[i]!.runs,
        }));
        await appendTablets(session, resident, table, loadable, this.#o.now());
      } finally {
        for (const local of locals) local.release();
      }
      if (estimatedMemory(desired, group) > mostBytes * LARGE_GROUP_SHARE)
        await compactResidentTables(session);
    }
  }
}

/**
 * Deletes the rows and returns the number of deleted positions. Every scan that could miss them must have
 * ended.
 */
async function applyDeletions(
  session: KernelSession,
  resident: ResidentTable,
  deletions: readonly Deletion[],
): Promise<number> {
  const positions = positionsToDelete(deletions);
  await deletePositions(session, resident, positions);
  for (const { part, rows } of deletions) {
    if (rows === 'all') resident.delete(part);
    else resident.leaveOut(part, rows);
  }
  return rowsIn(positions);
}
