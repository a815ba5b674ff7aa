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

/** An image is compressed again when so many of its positions went at once, or so much was appended. */
const MUCH_DELETED = 0.1;
const MUCH_APPENDED_BYTES = 64 << 20;
const LARGE_GROUP_BYTES = 256 << 20;

/** What is done to images in the kernel. Which scans must have ended before is for the caller to see to. */
export class ImageWorker {
  readonly #o: ImageWorkerOptions;

  constructor(options: ImageWorkerOptions) {
    this.#o = options;
  }

  /** An image of the first tablets that there is room for; undefined when none fits. */
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

  /** Deletes, then appends what there is room for; whether that was all. After a failure the image is of no use. */
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

  /** Deletes, and gives the memory back. */
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
          // The kernel leaves out row groups by one range only: with more there must be no holes.
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

/** How many positions are gone. Every scan that could miss them has ended. */
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
