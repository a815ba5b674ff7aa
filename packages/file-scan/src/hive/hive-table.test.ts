import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListedFile } from '@tessera/object-store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TableServices } from '../table/table-services.ts';
import { hiveTable } from './hive-table.ts';

const PARQUET = new URL('../../../tablet/test-files/format-1.parquet', import.meta.url);

let directory: string;
let content: Buffer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-hive-'));
  content = await readFile(PARQUET);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** A bucket with the objects, all of which have the content of the same Parquet file. */
function services(names: readonly string[]): TableServices {
  const files = names.map(
    (name): ListedFile => ({
      url: `s3://lake/${name}`,
      bytes: content.length,
      modifiedAt: new Date(0),
      etag: name,
    }),
  );
  const range = async (_: unknown, start: number, end: number) => content.subarray(start, end);
  const external = {
    list: async (_: string, { limit }: { limit?: number }) => files.slice(0, limit),
    withReader: (_: string, __: unknown, work: (reader: unknown) => unknown) => work({ range }),
    isObjectUrl: () => true,
  };
  return {
    external: external as unknown as TableServices['external'],
    session: { describe: async () => ({ columns: [] }) } as unknown as TableServices['session'],
    directory: async () => directory,
    signal: new AbortController().signal,
  };
}

it('reads all files of a large folder, whatever other files are among the first that are listed', async () => {
  const data = Array.from(
    { length: 10_050 },
    (_, i) => `sales/year=2024/${String(i).padStart(5, '0')}.parquet`,
  );
  const bucket = services(['sales/_SUCCESS', ...data, 'sales/year=2025/0.parquet']);
  const table = await hiveTable({ url: 's3://lake/sales/', infersTypes: true }, bucket);
  const { files } = await table!.choose([], bucket.signal);
  expect(files).toHaveLength(data.length + 1);
});
