import { fstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SpillFiles } from './spill-files.ts';

const MIB = 1 << 20;
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-spill-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const sizeOf = ({ fd }: { readonly fd: number }) => fstatSync(fd).size;

it('freed files are kept for reuse up to a size, large ones in part', async () => {
  const files = new SpillFiles(directory, 100 * MIB, 5 * MIB);
  const written = async (bytes: number) => {
    const file = await files.take();
    await file.append(Buffer.alloc(bytes, 1));
    return file;
  };
  const [large, small] = [await written(4 * MIB), await written(3 * MIB)];
  expect(files.usedBytes).toBe(7 * MIB);
  await large.free();
  await small.free();
  expect(files.usedBytes).toBe(0);
  // The file that was freed last comes first. The part of it that exceeded the limit was truncated.
  const [first, second, third] = [await files.take(), await files.take(), await files.take()];
  expect([first, second, third].map(sizeOf)).toEqual([MIB, 4 * MIB, 0]);
  await first.append(Buffer.from('new'));
  const read = Buffer.alloc(3);
  expect(await first.read(read, 0)).toBe(true);
  expect(read.toString()).toBe('new');
  await Promise.all([first, second, third].map((file) => file.free()));
  await files.close();
});
