import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ScannedFile, ScanReader } from '../file-scan.ts';
import { ParquetFetcher } from './fetch-parquet.ts';
import { readFooter } from './footer.ts';

const PARQUET = new URL('../../../tablet/test-files/format-1.parquet', import.meta.url);
const BYTES = 4 << 20;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fetch-parquet-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A reader of files that all have the same bytes, and what was asked of it. */
function readerOf(bytes: Buffer) {
  const requests: string[] = [];
  const reader: ScanReader = {
    range: async ({ url }, start, end) => {
      requests.push(`${url} footer`);
      return bytes.subarray(start, end);
    },
    copy: async ({ url }, start, end, take) => {
      requests.push(end - start === bytes.length ? `${url} whole` : `${url} range`);
      await take(Buffer.from(bytes.subarray(start, end)), start);
    },
  };
  return { reader, requests };
}

async function fetchTwo(bytes: Buffer) {
  const { reader, requests } = readerOf(bytes);
  const parquet = new ParquetFetcher(reader);
  const fileOf = (url: string): ScannedFile => ({ url, bytes: bytes.length });
  const fetched = await Promise.all(
    ['a', 'b'].map((url) =>
      parquet.fetch({ file: fileOf(url) }, join(directory, url), (document) => ({
        columns: document.columns().map(({ name }) => name),
        counted: undefined,
      })),
    ),
  );
  return { requests, fetched };
}

it('fetches files whole if the first one has hardly any unwanted bytes', async () => {
  const bytes = await readFile(PARQUET);
  const { requests, fetched } = await fetchTwo(bytes);
  expect(requests.filter((request) => request.startsWith('a'))).toContain('a footer');
  expect(requests.filter((request) => request.startsWith('b'))).toEqual(['b whole']);
  expect(await readFile(join(directory, 'b'))).toEqual(bytes);
  const [first, second] = fetched.map(({ rows, bytes: read }) => ({ rows, read }));
  expect(second).toEqual(first);
  expect(first!.rows).toBeGreaterThan(0);
});

it('fetches only ranges of files of which the first one has many unwanted bytes', async () => {
  const original = await readFile(PARQUET);
  const file = { url: 'original', bytes: original.length };
  const { offset } = await readFooter(file, readerOf(original).reader.range);
  const bytes = Buffer.concat([original.subarray(0, offset), Buffer.alloc(BYTES), original.subarray(offset)]);
  const { requests } = await fetchTwo(bytes);
  expect(requests).toContain('b footer');
  expect(requests).toContain('b range');
  expect(requests).not.toContain('b whole');
});
