import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testKernel } from './testing/test-kernel.ts';

const data = process.env.TESSERA_TEST_DATA ?? join(import.meta.dirname, '../../../../shared/data');
/** Reading this directory makes the kernel raise an INTERNAL error. */
const directory = join(data, 'files/parquet-testing/shredded_variant');
const file = join(directory, 'case-088.parquet');

test.skipIf(!existsSync(file))(
  'after an internal error new sessions go to a fresh process and running ones finish (skipped where the test data is absent)',
  async () => {
    await using t = await testKernel({ readableDirectories: [directory] });
    const { pid } = t.kernel.status();
    const running = await t.kernel.session();
    await running.execute('CREATE TEMP TABLE kept AS SELECT 7 AS n');
    const victim = await t.kernel.session();
    await expect(
      victim.scalar(`SELECT count(COLUMNS(*)::VARCHAR) FROM read_parquet('${file}')`),
    ).rejects.toThrow(/The kernel failed on this statement/);
    await victim.close();
    const fresh = await t.kernel.session();
    expect(await fresh.scalar('SELECT 1')).toBe(1);
    expect(t.kernel.status().pid).not.toBe(pid);
    expect(t.kernel.status().restarts).toBe(1);
    expect(await running.scalar('SELECT n FROM kept')).toBe(7);
    await running.close();
    await expect.poll(() => readdirSync(join(t.directory, 'kernel'))).toEqual(['process-1']);
    expect(() => process.kill(pid!, 0)).toThrow();
    await fresh.close();
  },
);
