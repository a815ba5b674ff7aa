import { expect, test } from 'vitest';
import { StatementHistory } from './statement-history.js';

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

test('the last statement comes first, one run again moves there', () => {
  const history = new StatementHistory(storageOf());
  history.add('SELECT 1', 1);
  history.add('SELECT 2', 2);
  history.add('SELECT 1', 3);
  expect(history.entries()).toEqual([
    { sql: 'SELECT 1', at: 3 },
    { sql: 'SELECT 2', at: 2 },
  ]);
  history.clear();
  expect(history.entries()).toEqual([]);
});

test('a hundred are kept, and none that is enormous', () => {
  const history = new StatementHistory(storageOf());
  for (let i = 0; i < 150; i++) history.add(`SELECT ${i}`, i);
  history.add('x'.repeat(100_001), 999);
  expect(history.entries()).toHaveLength(100);
  expect(history.entries()[0]).toEqual({ sql: 'SELECT 149', at: 149 });
});

test('when the storage is full the oldest go', () => {
  const history = new StatementHistory(storageOf(2_000));
  for (let i = 0; i < 100; i++) history.add(`SELECT ${i} ${'-'.repeat(50)}`, i);
  expect(history.entries()[0]?.sql).toContain('SELECT 99 ');
  expect(history.entries().length).toBeGreaterThan(5);
});

test.each(['', 'no json', '{"a":1}', '[null, 1, {"sql": 2}]'])(
  'storage that holds %j is an empty history',
  (text) => {
    const storage = storageOf();
    storage.values.set('tessera.history', text);
    expect(new StatementHistory(storage).entries()).toEqual([]);
  },
);
