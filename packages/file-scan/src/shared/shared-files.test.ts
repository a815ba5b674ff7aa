import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SharedFiles } from './shared-files.ts';

const ADDRESS = '127.0.0.1:5000';
const BYTES = Buffer.from(Uint8Array.from({ length: 2_500_000 }, (_, i) => i % 251));

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-shared-files-'));
});

afterEach(() => rm(directory, { recursive: true }));

it('a range of a file of this node arrives in pieces, and ends with the file', async () => {
  const path = join(directory, 'file');
  await writeFile(path, BYTES);
  const shared = new SharedFiles({ address: ADDRESS, credentials: { clusterToken: undefined } });
  const { id } = shared.share(path);
  const pieces: { position: number; bytes: Buffer }[] = [];
  const take = async (bytes: Buffer, position: number) => {
    pieces.push({ position, bytes: Buffer.from(bytes) });
  };
  const { signal } = new AbortController();
  await shared.copy(ADDRESS, { sharedId: id }, [7, BYTES.length + 100], take, signal);
  expect(pieces.map(({ position }) => position)).toEqual([7, 7 + (1 << 20), 7 + (2 << 20)]);
  expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).equals(BYTES.subarray(7))).toBe(true);
  expect(Buffer.from(await shared.read(ADDRESS, { sharedId: id }, 3, 9, signal))).toEqual(
    BYTES.subarray(3, 9),
  );
  shared.close();
});
