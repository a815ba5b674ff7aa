import { expect, test } from 'vitest';
import { QuickStatements } from './quick-statements.ts';

/** Runs a statement that takes so many milliseconds, and says on which thread. */
function runs() {
  let clock = 0;
  const statements = new QuickStatements(() => clock);
  return (sql: string, tookMs: number, fails = false) => {
    const take = (place: string) => {
      clock += tookMs;
      if (fails) throw new Error(place);
      return place;
    };
    return statements.run(
      sql,
      () => take('here'),
      async () => take('elsewhere'),
    );
  };
}

test('a statement runs here if its last run was quick', async () => {
  const run = runs();
  expect(await run('SELECT 1', 2)).toBe('elsewhere');
  expect(await run('SELECT 1', 2)).toBe('here');
  expect(await run('SELECT 2', 2)).toBe('elsewhere');
  expect(await run('SELECT 1', 3)).toBe('here');
  expect(await run('SELECT 1', 2)).toBe('elsewhere');
  await expect(run('SELECT 1', 1, true)).rejects.toThrow('here');
  expect(await run('SELECT 1', 1)).toBe('elsewhere');
});

test('a statement does not run here if it is long or may take another time with the same rows', async () => {
  const run = runs();
  for (const sql of ['SELECT count(*) FROM range((Random() * 1e9)::BIGINT)', `SELECT '${'x'.repeat(4_096)}'`])
    for (const _ of [1, 2]) expect(await run(sql, 0)).toBe('elsewhere');
});

test('the texts that were used last are known, of many', async () => {
  const run = runs();
  for (let i = 0; i < 256; i += 1) await run(`SELECT ${i}`, 1);
  expect(await run('SELECT 0', 1)).toBe('here');
  await run('SELECT 256', 1);
  expect(await run('SELECT 0', 1)).toBe('here');
  expect(await run('SELECT 1', 1)).toBe('elsewhere');
});
