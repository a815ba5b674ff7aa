import { readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { writeAt } from '@tessera/common';
import type { RowGroup } from '../body/parquet-footer.ts';
import { type BodyFile, PARQUET_MAGIC } from './body-file.ts';
import { type ByteRange, ChunkSums } from './chunk-sums.ts';
import type { Division } from './divide-body.ts';

/**
 * Some row groups of a body that are moved to a file of their own. The slice with the first row group stays
 * in place.
 */
export class BodySlice {
  readonly path: string;
  readonly groups: readonly RowGroup[];
  /** The number to add to offsets in the body. */
  readonly shift: number;
  /** The end of the row groups in the slice's own file. */
  readonly end: number;
  readonly #body: BodyFile;
  readonly #division: Division;

  constructor(body: BodyFile, division: Division) {
    const { from, to } = division;
    const all = body.footer.rowGroups;
    this.#body = body;
    this.#division = division;
    this.path = from === 0 ? body.path : `${body.path}.${from}`;
    this.groups = all.slice(from, to);
    this.shift = from === 0 ? 0 : PARQUET_MAGIC.length - startOf(all[from]!);
    this.end = (to === all.length ? body.footerOffset : startOf(all[to]!)) + this.shift;
  }

  /**
   * Moves the bytes to the slice's file and returns the checksums of the ranges, which are offsets in the
   * body, ascending.
   */
  async move(ranges: readonly ByteRange[]): Promise<readonly number[]> {
    const sums = new ChunkSums(ranges);
    const target = this.#division.from === 0 ? undefined : await open(this.path, 'wx');
    try {
      await target?.write(PARQUET_MAGIC, 0, 'latin1');
      await this.#pass(sums, target);
    } finally {
      await target?.close();
    }
    return sums.sums();
  }

  async #pass(sums: ChunkSums, target: FileHandle | undefined): Promise<void> {
    const start = PARQUET_MAGIC.length - this.shift;
    for await (const { offset, bytes } of this.#body.pieces(start, this.end - this.shift)) {
      sums.update(offset + this.shift, bytes);
      if (target !== undefined) await writeAt(target, bytes, offset + this.shift);
    }
  }

  /** The Parquet footer of the slice's own file. May be called only once. */
  footer(): Uint8Array {
    return this.#body.document.slice(this.#division.from, this.#division.to, this.shift).encode();
  }

  /**
   * Writes the tail after the row groups, which completes the file, and truncates the body to where the slice
   * began.
   */
  async finish(tail: Buffer): Promise<void> {
    if (this.#division.from === 0) {
      await this.#body.replaceTail(this.end, tail);
      return;
    }
    const target = await open(this.path, 'r+');
    try {
      await writeAt(target, tail, this.end);
    } finally {
      await target.close();
    }
    await this.#body.truncate(PARQUET_MAGIC.length - this.shift);
  }

  /** The content of the finished file, for small files. */
  content(): Buffer {
    return readFileSync(this.path);
  }
}

const startOf = (group: RowGroup): number => Math.min(...group.chunks.map((chunk) => chunk.offset));
