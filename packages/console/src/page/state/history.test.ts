import { expect, test } from 'vitest';
import { type Entry, storedHistory, storeInHistory } from './history.ts';

function storageOf(limit = Number.POSITIVE_INFINITY) {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (value.length > limit) throw new Error('QuotaExceededError');
      values.set(key, value);
    },
    removeItem: (key: string) => void values.delete(key),
  };
}

function run(storage: ReturnType<typeof storageOf>, ...statements: readonly string[]): Entry[] {
  let entries: Entry[] = [];
  statements.forEach((sql, at) => {
    entries = storeInHistory(storage, entries, sql, at);
  });
  return entries;
}

test('the last statement comes first; a repeated statement moves to the front', () => {
  const storage = storageOf();
  run(storage, 'SELECT 1', 'SELECT 2', 'SELECT 1');
  expect(storedHistory(storage)).toEqual([
    { sql: 'SELECT 1', at: 2 },
    { sql: 'SELECT 2', at: 1 },
  ]);
});

test('a hundred statements are kept, and no huge ones', () => {
  const storage = storageOf();
  run(storage, ...Array.from({ length: 150 }, (_, i) => `SELECT ${i}`), 'x'.repeat(100_001));
  expect(storedHistory(storage)).toHaveLength(100);
  expect(storedHistory(storage)[0]).toEqual({ sql: 'SELECT 149', at: 149 });
});

test('a full storage drops the oldest statement', () => {
  const storage = storageOf(2_000);
  run(storage, ...Array.from({ length: 100 }, (_, i) => `SELECT ${i} ${'-'.repeat(50)}`));
  expect(storedHistory(storage)[0]?.sql).toContain('SELECT 99 ');
  expect(storedHistory(storage).length).toBeGreaterThan(5);
});

test.each(['', 'no json', '{"a":1}', '[null, 1, {"sql": 2}]'])(
  'storage that holds %j is an empty history',
  (text) => {
    const storage = storageOf();
    storage.values.set('tessera.history', text);
    expect(storedHistory(storage)).toEqual([]);
  },
);
