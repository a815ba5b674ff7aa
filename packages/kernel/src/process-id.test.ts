import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testKernel } from './testing/test-kernel.ts';

test('sessions of one process have its id and see its tables; the process that replaces it has another', async () => {
  await using t = await testKernel({ bootstrap: ["ATTACH ':memory:' AS shared"] });
  const [first, second] = [await t.kernel.session(), await t.kernel.session()];
  expect(first.processId).toBe(t.kernel.processId);
  expect(second.processId).toBe(first.processId);
  await first.execute('CREATE TABLE shared.main.t AS SELECT 7 AS n');
  expect(await second.scalar('SELECT n FROM shared.main.t')).toBe(7);

  const quarantined = await t.kernel.session({ quarantine: true });
  expect(quarantined.processId).not.toBe(first.processId);
  await expect(quarantined.scalar('SELECT n FROM shared.main.t')).rejects.toThrow(/does not exist/);
  await quarantined.close();

  process.kill(t.kernel.status().pid!, 'SIGKILL');
  await expect.poll(() => t.kernel.processId).not.toBe(first.processId);
  const later = await t.kernel.session();
  expect(later.processId).toBe(t.kernel.processId);
  await expect(later.scalar('SELECT n FROM shared.main.t')).rejects.toThrow(/does not exist/);
  await later.close();
});

test.skipIf(!existsSync('/proc/self/cmdline'))(
  'the macros of the bootstrap are not among the arguments of the process, and may be longer than an argument can be',
  async () => {
    const macro = `CREATE MACRO long_text() AS '${'x'.repeat(300_000)}'`;
    await using t = await testKernel({ bootstrap: [macro] });
    const session = await t.kernel.session();
    expect(await session.scalar('SELECT length(long_text())')).toBe(300_000);
    const args = readFileSync(`/proc/${t.kernel.status().pid}/cmdline`);
    expect(args.length).toBeGreaterThan(0);
    expect(args.length).toBeLessThan(4_000);
    await session.close();
  },
);
