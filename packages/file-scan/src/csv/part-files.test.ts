import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CopyRange, FileUnit } from '../file-scan.ts';
import { PartFiles } from './part-files.ts';
import { fetchCsv } from './split-csv.ts';

const SHAPE = { delimiter: ',', quote: '"', escape: '"', compression: 'none' } as const;

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-part-files-'));
});

afterEach(() => rm(directory, { recursive: true }));

async function write(files: PartFiles, task: string, text: string): Promise<string> {
  await mkdir(join(directory, task));
  const path = join(directory, task, 'unit-0');
  const bytes = Buffer.from(text);
  const unit: FileUnit = { file: { url: 'a.csv', bytes: bytes.length }, bytes: bytes.length };
  const copy: CopyRange = (_, start, end, take) => take(bytes.subarray(start, end), start);
  await fetchCsv(unit, path, SHAPE, { copy, create: files.create, signal: new AbortController().signal });
  return path;
}

it('a file of an ended task is overwritten by the next one, which may be shorter', async () => {
  const files = new PartFiles(directory);
  const first = await write(files, 'first', 'a,b\n'.repeat(1000));
  const { ino } = await stat(first);
  await files.take(join(directory, 'first'));
  const second = await write(files, 'second', 'c,d\n');
  expect((await stat(second)).ino).toBe(ino);
  expect(await readFile(second, 'utf8')).toBe('c,d\n');
});

it('files beyond the limit are removed', async () => {
  const files = new PartFiles(directory, 10);
  await write(files, 'small', 'a,b\n');
  await write(files, 'large', 'a,b\n'.repeat(3));
  await files.take(join(directory, 'large'));
  expect(await readdir(directory)).toEqual(['small']);
  await files.take(join(directory, 'small'));
  expect(await readdir(directory)).toEqual(['spare-1']);
});
