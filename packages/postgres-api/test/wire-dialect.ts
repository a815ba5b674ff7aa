import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail } from '@tessera/common';
import { type Kernel, startKernel } from '@tessera/kernel';
import {
  kernelBootstrap,
  type OutputColumn,
  postgresRowsQuery,
  prepareQuery,
  type QueryParameter,
  type ValueFormat,
} from '@tessera/sql';
import { type DataRowBatch, DataRowReader } from '../src/values/data-rows.ts';

/** The cells of a row as a client receives them. */
export type WireRow = readonly (Buffer | null)[];

export interface WireRows {
  readonly columns: readonly OutputColumn[];
  readonly rows: readonly WireRow[];
}

interface RowOptions {
  readonly parameters?: readonly QueryParameter[];
  readonly timeZone?: string;
}

/** The dialect over a real kernel, up to the bytes of DataRow messages. */
export class WireDialect implements AsyncDisposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'postgres-api-test-'));
  #kernel!: Kernel;

  static async open(): Promise<WireDialect> {
    const dialect = new WireDialect();
    const silent = () => undefined;
    dialect.#kernel = await startKernel({
      directory: dialect.#directory,
      readableDirectories: [],
      memoryLimitBytes: 1e9,
      threads: 2,
      bootstrap: kernelBootstrap,
      log: { info: silent, warn: silent, error: silent },
    });
    return dialect;
  }

  async rows(sql: string, formats: readonly ValueFormat[], options: RowOptions = {}): Promise<WireRows> {
    const messages: Buffer[] = [];
    const columns = await this.batches(sql, formats, (batch) => messages.push(batch.write()), options);
    return { columns, rows: parseRows(Buffer.concat(messages)) };
  }

  /** Passes the batches of a result to `take` while they are valid. */
  async batches(
    sql: string,
    formats: readonly ValueFormat[],
    take: (batch: DataRowBatch) => void,
    { parameters = [], timeZone = 'UTC' }: RowOptions = {},
  ): Promise<readonly OutputColumn[]> {
    const session = await this.#kernel.session({ timeZone });
    try {
      const prepared = await prepareQuery(sql, {
        session,
        settings: { timezone: timeZone },
        parameters,
        sessionValues: { account: 'account', database: 'tessera', engine: 'engine', user: 'user' },
        resolveRead: async ({ url }) => fail('FILE_NOT_FOUND', { url }),
      });
      const { columns } = prepared;
      const result = await session.query(postgresRowsQuery(prepared, formats, timeZone));
      const reader = new DataRowReader(columns, formats);
      reader.read(result.schemaIpc);
      for await (const batch of result.batches) take(reader.read(batch.ipc)!);
      return columns;
    } finally {
      await session.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kernel.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** The cells of consecutive DataRow messages. */
export function parseRows(bytes: Buffer): readonly WireRow[] {
  const rows: WireRow[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] !== 'D'.charCodeAt(0)) throw new Error(`No DataRow at ${at}`);
    const end = at + 1 + bytes.readInt32BE(at + 1);
    const cells: (Buffer | null)[] = [];
    let next = at + 7;
    for (let i = bytes.readInt16BE(at + 5); i > 0; i -= 1) {
      const length = bytes.readInt32BE(next);
      next += 4;
      cells.push(length < 0 ? null : bytes.subarray(next, next + length));
      next += Math.max(length, 0);
    }
    if (next !== end) throw new Error(`A DataRow is ${end - next} bytes too long`);
    rows.push(cells);
    at = end;
  }
  return rows;
}
