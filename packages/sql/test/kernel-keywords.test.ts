import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKernel } from '@tessera/kernel';
import { expect, test } from 'vitest';
import { KERNEL_KEYWORDS } from '../src/text/kernel-keywords.ts';

test("the list of keywords is that of the kernel's parser", async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-keywords-'));
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  const kernel = await startKernel({
    directory: join(directory, 'kernel'),
    readableDirectories: [],
    memoryLimitBytes: 100_000_000,
    threads: 1,
    bootstrap: [],
    log: silent,
  });
  try {
    const session = await kernel.session();
    const words = await session.scalar(
      "SELECT string_agg(keyword_name, ' ') FROM duckdb_keywords() WHERE keyword_category <> 'reserved'",
      [],
    );
    expect([...KERNEL_KEYWORDS].sort()).toEqual(String(words).split(' ').sort());
    await session.close();
  } finally {
    await kernel.close();
    await rm(directory, { recursive: true, force: true });
  }
});
