import type { TableObject, Tablet } from '@tessera/catalog';
import { newUlid } from '@tessera/common';
import type { KernelSession } from '@tessera/kernel';
import type { HybridHeader } from '@tessera/tablet';
import type { LocalTablet, TabletNeed } from '../local/local-tablets.ts';
import { neededRows } from '../scan/file-scan.ts';
import { type RowRange, rowsIn } from '../scan/row-ranges.ts';
import { granulesIn, rowsOf } from '../scan/scan-rows.ts';
import { columnsWithKey, granulesWithKeys, storedBytes } from '../scan/tablet-keys.ts';
import type { ScanTablet } from '../storage-agent.ts';
import { Image, type ImageKey } from './image.ts';
import { type Deletion, positionsToDelete } from './image-change.ts';
import {
  appendTablets,
  compactImages,
  createImage,
  deletePositions,
  dropImage,
  tableMemory,
} from './image-loader.ts';
import { estimatedMemory, type Room, tabletGroups, tabletsThatFit } from './image-size.ts';
import type { Desired } from './table-demand.ts';

export interface ImageWorkerOptions {
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
const LARGE_GROUP_BYTES = 256 << 20;

/** The operations on resident tables in the kernel. The caller ensures that the affected scans have ended. */
export class ImageWorker {
  readonly #o: ImageWorkerOptions;

  constructor(options: ImageWorkerOptions) {
    this.#o = options;
  }

  /** Builds a resident table from the first tablets that fit; undefined if none fits. */
  async build(
    session: KernelSession,
    key: ImageKey,
    desired: Desired,
    room: Room,
  ): Promise<{ image: Image; isComplete: boolean } | undefined> {
    const tablets = tabletsThatFit(desired, desired.tablets, room);
    if (tablets.length === 0) return undefined;
    const used = await tableMemory(session);
    const image = new Image(`i_${newUlid().toLowerCase()}`, key, desired.columns, this.#o.now());
    try {
      await createImage(session, image);
      await this.#append(session, image, desired, tablets);
      await compactImages(session);
    } catch (error) {
      await dropImage(session, image).catch(() => undefined);
      throw error;
    }
    image.bytes = Math.max(0, (await tableMemory(session)) - used);
    const isComplete = tablets.length === desired.tablets.length;
    if (isComplete) image.isNow(desired);
    else image.share = desired.share;
    return { image, isComplete };
  }

  /**
   * Deletes rows, then appends as much as fits. Returns whether everything fitted. After a failure the
   * resident table must not be used.
   */
  async change(
    session: KernelSession,
    image: Image,
    desired: Desired,
    append: readonly ScanTablet[],
    deletions: readonly Deletion[],
    room: Room,
  ): Promise<boolean> {
    const tablets = tabletsThatFit(desired, append, room);
    const used = await tableMemory(session);
    const gone = await applyDeletions(session, image, deletions);
    await this.#append(session, image, desired, tablets);
    const isMuch = estimatedMemory(desired, tablets) > MUCH_APPENDED_BYTES;
    if (isMuch || gone > image.nextPosition * MUCH_DELETED) await compactImages(session);
    image.bytes = Math.max(0, image.bytes + (await tableMemory(session)) - used);
    return tablets.length === append.length;
  }

  /** Deletes rows and releases their memory. */
  async shrink(session: KernelSession, image: Image, deletions: readonly Deletion[]): Promise<void> {
    const used = await tableMemory(session);
    await applyDeletions(session, image, deletions);
    await compactImages(session);
    image.bytes = Math.max(0, image.bytes + (await tableMemory(session)) - used);
  }

  async #append(
    session: KernelSession,
    image: Image,
    desired: Desired,
    tablets: readonly ScanTablet[],
  ): Promise<void> {
    const columns = [...image.columns.keys()];
    for (const group of tabletGroups(desired, tablets)) {
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
          const columnBytes = header === undefined ? local.columnBytes : storedBytes(header, held, scan);
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
        await appendTablets(session, image, table, loadable, this.#o.now());
      } finally {
        for (const local of locals) local.release();
      }
      if (estimatedMemory(desired, group) > LARGE_GROUP_BYTES) await compactImages(session);
    }
  }
}

/**
 * Deletes the rows and returns the number of deleted positions. Every scan that could miss them must have
 * ended.
 */
async function applyDeletions(
  session: KernelSession,
  image: Image,
  deletions: readonly Deletion[],
): Promise<number> {
  const positions = positionsToDelete(deletions);
  await deletePositions(session, image, positions);
  for (const { part, rows } of deletions) {
    if (rows === 'all') image.delete(part);
    else image.leaveOut(part, rows);
  }
  return rowsIn(positions);
}
