/** The parts of parquetjs-lite that the tests use; the package has no types of its own. */
declare module 'parquetjs-lite' {
  import type { Writable } from 'node:stream';

  export type Row = Readonly<Record<string, unknown>>;

  export interface Field {
    readonly type: string;
    readonly optional?: boolean;
    readonly repeated?: boolean;
    readonly compression?: 'SNAPPY' | 'GZIP';
  }

  export class ParquetSchema {
    constructor(fields: Readonly<Record<string, Field>>);
  }

  export class ParquetWriter {
    static openStream(
      schema: ParquetSchema,
      stream: Writable,
      options?: { readonly rowGroupSize?: number },
    ): Promise<ParquetWriter>;
    appendRow(row: Row): Promise<void>;
    close(): Promise<void>;
  }

  export class ParquetReader {
    static openBuffer(file: Buffer): Promise<ParquetReader>;
    getCursor(): { next(): Promise<Row | null> };
    close(): Promise<void>;
  }
}
