import { type FileHandle, open } from 'node:fs/promises';
import { ByteWriter } from 'hyparquet-writer';
import { type ColumnSchema, type EncodedRowGroup, movedBy, openWriter } from './row-group.ts';

/**
 * A Parquet file that is written one row group at a time. It is complete only after {@link ParquetFile.close}.
 */
export class ParquetFile {
  readonly #file: FileHandle;
  readonly #schema: readonly ColumnSchema[];
  readonly #groups: EncodedRowGroup['metadata'][] = [];
  #end = 0;

  private constructor(file: FileHandle, schema: readonly ColumnSchema[]) {
    this.#file = file;
    this.#schema = schema;
  }

  static async create(path: string, schema: readonly ColumnSchema[]): Promise<ParquetFile> {
    const file = new ParquetFile(await open(path, 'w'), schema);
    const head = new ByteWriter();
    openWriter(head, schema);
    await file.#write(head.getBytes());
    return file;
  }

  async write({ bytes, metadata }: EncodedRowGroup): Promise<void> {
    this.#groups.push(movedBy(metadata, this.#end));
    await this.#write(bytes);
  }

  async close(): Promise<void> {
    const tail = new ByteWriter();
    const writer = openWriter(tail, this.#schema);
    const start = tail.offset;
    writer.row_groups = this.#groups;
    writer.num_rows = this.#groups.reduce((sum, { num_rows }) => sum + num_rows, 0n);
    void writer.finish();
    await this.#write(tail.getBytes().subarray(start));
    await this.#file.close();
  }

  /** Closes the incomplete file without writing the footer. */
  async abandon(): Promise<void> {
    await this.#file.close();
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#file.appendFile(bytes);
    this.#end += bytes.length;
  }
}
