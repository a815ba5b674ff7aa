import { expect, test } from 'vitest';
import type { NativeConnection } from '../native/connection.ts';
import type { NativeResult, NativeStatement } from '../native/statement.ts';
import { KeptStatements } from './kept-statements.ts';
import { QuickStatements } from './quick-statements.ts';

const SLOW_MS = 5;

/** Runs a statement several times, each of which takes the given time, and returns where it ran. */
async function placesOf(sql: string, times: readonly number[], mayBlock = true): Promise<string[]> {
  const places: string[] = [];
  let now = 0;
  const kept = new KeptStatements({} as NativeConnection, new QuickStatements(() => now));
  const run = (place: string) => {
    now += times[places.length]!;
    places.push(place);
    return {} as NativeResult;
  };
  const statement = {
    execute: async () => run('another thread'),
    executeAtOnce: () => run('this thread'),
  } as unknown as NativeStatement;
  for (const _ of times) await kept.resultOf(sql, statement, mayBlock);
  return places;
}

test('a statement runs on this thread as long as its last run was quick', async () => {
  expect(await placesOf('SELECT 42', [SLOW_MS, 0, SLOW_MS, 0, 0])).toEqual([
    'another thread',
    'another thread',
    'this thread',
    'another thread',
    'this thread',
  ]);
});

test('a statement that may not block runs on another thread, however quick it was', async () => {
  const places = await placesOf('SELECT 42', [0, 0, 0], false);
  expect(new Set(places)).toEqual(new Set(['another thread']));
});

test('a statement whose work is random never runs on this thread', async () => {
  const places = await placesOf('SELECT count(*) FROM range((random() * 1e9)::BIGINT)', [0, 0, 0]);
  expect(new Set(places)).toEqual(new Set(['another thread']));
});
