import { expect, test } from 'vitest';
import { testKernel } from './testing/test-kernel.ts';

test.each([
  ['a first value', 'scalar'],
  ['first rows', 'query'],
] as const)('an idle session that has read %s does not keep dropped tables', async (_, how) => {
  await using t = await testKernel({ bootstrap: ["ATTACH ':memory:' AS other"] });
  const [waiting, session] = [await t.kernel.session(), await t.kernel.session()];
  await session.execute('CREATE TABLE other.t AS SELECT range AS i FROM range(2000000)');
  const { usedBytes } = await t.kernel.memory();
  if (how === 'scalar') await waiting.scalar('SELECT i FROM other.t');
  else for await (const _batch of (await waiting.query('SELECT i FROM other.t')).batches) break;
  await session.execute('DROP TABLE other.t');
  expect((await t.kernel.memory()).usedBytes).toBeLessThan(usedBytes / 4);
});
