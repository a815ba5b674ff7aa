import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { readInto, writeAt } from '@tessera/common';
import { FooterDocument, type ParquetFooter } from '../body/parquet-footer.ts';

/** The length of the footer length and `PAR1`. */
export const TRAILER_BYTES = 8;
/** The bytes before the first row group. */
export const PARQUET_MAGIC = 'PAR1';
/** Smaller files are held in memory; larger ones are read in pieces of this size. */
const PIECE_BYTES = 1024 * 1024;

/** A Parquet file that the kernel wrote. */
export class BodyFile {
  readonly path: string;
  readonly document: FooterDocument;
  readonly footer: ParquetFooter;
  readonly footerOffset: number;
  readonly #content: Buffer | FileHandle;

  private constructor(path: string, content: Buffer | FileHandle, footerBytes: Buffer, footerOffset: number) {
    this.path = path;
    this.#content = content;
    this.document = FooterDocument.decode(footerBytes);
    this.footer = this.document.read();
    this.footerOffset = footerOffset;
  }

  static async open(path: string): Promise<BodyFile> {
    // Small files are in the page cache: synchronous access costs less than the thread pool.
    const { size } = statSync(path);
    if (size <= PIECE_BYTES) {
      const content = readFileSync(path);
      const footerOffset = footerStart(content, size);
      return new BodyFile(path, content, content.subarray(footerOffset, -TRAILER_BYTES), footerOffset);
    }
    const file = await open(path, 'r+');
    try {
      const footerOffset = footerStart(await readAt(file, size - TRAILER_BYTES, TRAILER_BYTES), size);
      const footer = await readAt(file, footerOffset, size - TRAILER_BYTES - footerOffset);
      return new BodyFile(path, file, footer, footerOffset);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The bytes from `start` to `end`, in order. A piece is valid until the next one is requested. */
  async *pieces(start: number, end: number): AsyncGenerator<{ offset: number; bytes: Buffer }> {
    if (Buffer.isBuffer(this.#content)) {
      yield { offset: start, bytes: this.#content.subarray(start, end) };
      return;
    }
    const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - start));
    for (let at = start; at < end; ) {
      const { bytesRead } = await this.#content.read(buffer, 0, Math.min(buffer.length, end - at), at);
      if (bytesRead === 0) throw new Error(`${this.path} ended early`);
      yield { offset: at, bytes: buffer.subarray(0, bytesRead) };
      at += bytesRead;
    }
  }

  /** Replaces everything from `offset` on. */
  async replaceTail(offset: number, tail: Buffer): Promise<void> {
    if (Buffer.isBuffer(this.#content)) {
      writeFileSync(this.path, Buffer.concat([this.#content.subarray(0, offset), tail]));
      return;
    }
    await writeAt(this.#content, tail, offset);
    await this.#content.truncate(offset + tail.length);
  }

  /** Frees the disk space from `offset` on, where nothing is read any more. */
  async truncate(offset: number): Promise<void> {
    if (!Buffer.isBuffer(this.#content)) await this.#content.truncate(offset);
  }

  async close(): Promise<void> {
    if (!Buffer.isBuffer(this.#content)) await this.#content.close();
  }
}

const footerStart = (end: Buffer, size: number): number =>
  size - TRAILER_BYTES - end.readUInt32LE(end.length - TRAILER_BYTES);

async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  if ((await readInto(file, buffer, offset)) < length) throw new Error('The file ended early');
  return buffer;
}
