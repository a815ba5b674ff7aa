import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { testKernel } from '../testing/test-kernel.ts';

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'kernel-macros-'));
  vi.stubEnv('NODE_COMPILE_CACHE', cache);
});
afterEach(() => rmSync(cache, { recursive: true }));

/** Starts a kernel and returns what `six` and the rows of `two_rows` are in it. */
async function values(six = 'twice(3)'): Promise<unknown[]> {
  const bootstrap = [
    'CREATE TABLE unrelated AS SELECT 1',
    'CREATE MACRO twice(x) AS x * 2, (x, y) AS (x + y) * 2',
    `CREATE OR REPLACE MACRO six() AS ${six}`,
    'CREATE MACRO two_rows(v) AS TABLE SELECT v AS n UNION ALL SELECT six()',
  ];
  await using test = await testKernel({ bootstrap });
  const session = await test.kernel.session();
  return [
    await session.scalar('SELECT six()'),
    await session.scalar('SELECT sum(n)::INT FROM two_rows(twice(1, 2))'),
  ];
}

const kept = () =>
  readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes('macros-'));

test('a kernel process takes macros from the file that an earlier one has kept, unless their text or the file is another', async () => {
  expect(await values()).toEqual([6, 12]);
  const [ofSix] = kept();
  expect(kept()).toEqual([ofSix]);
  expect(await values('twice(4)')).toEqual([8, 14]);
  const ofEight = kept().find((path) => path !== ofSix)!;
  expect(kept()).toHaveLength(2);

  // Whose file it is can be seen by the values.
  renameSync(join(cache, ofEight), join(cache, ofSix!));
  expect(await values()).toEqual([8, 14]);

  writeFileSync(join(cache, ofSix!), 'not a database');
  expect(await values()).toEqual([6, 12]);
  expect(await values()).toEqual([6, 12]);
  expect(kept()).toEqual([ofSix]);
});

test('without a compile cache no file is kept', async () => {
  vi.stubEnv('NODE_DISABLE_COMPILE_CACHE', '1');
  expect(await values()).toEqual([6, 12]);
  expect(kept()).toEqual([]);
});

test('a copied macro is the one that was created, lambdas included', async () => {
  const bootstrap = [
    'CREATE MACRO type_of(x) AS list_transform([x], lambda e: typeof(e) || coalesce(e, 1 + 2))[1]',
  ];
  const definitions: unknown[] = [];
  for (const _ of ['created', 'copied']) {
    await using test = await testKernel({ bootstrap });
    const session = await test.kernel.session();
    definitions.push(
      await session.scalar("SELECT macro_definition FROM duckdb_functions() WHERE function_name = 'type_of'"),
    );
  }
  expect(kept()).toHaveLength(1);
  expect(definitions[0]).toContain('lambda e: ');
  expect(definitions[1]).toBe(definitions[0]);
});
