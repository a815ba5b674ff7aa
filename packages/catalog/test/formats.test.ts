import { readFileSync } from 'node:fs';
import { asQueryId } from '@tessera/common';
import { expect, test } from 'vitest';
import {
  applyEntry,
  CatalogState,
  decodeCheckpoint,
  decodeEntry,
  decodeTransaction,
  encodeTransaction,
  type ObjectId,
} from '../src/index.ts';
import { dump } from '../src/testing/state-dump.ts';

/** Files as they were written when format 1 was new: whatever changes, they can be read and mean the same. */
const FILES = new URL('format-1/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, FILES));
/** One entry a line. */
const entries = read('log.txt')
  .toString('utf8')
  .trimEnd()
  .split('\n')
  .map((line) => decodeEntry(Buffer.from(line)));

test('a log of format 1 is read', () => {
  let state: CatalogState = CatalogState.empty;
  for (const entry of entries) state = applyEntry(state, entry);
  expect(state.version).toBe(5);
  const t = 'table-t' as ObjectId;
  expect(state.tablets(t).map((tablet) => tablet.id)).toEqual(['tablet-b', 'tablet-c']);
  expect(state.totals(t)).toMatchObject({ rows: 200, deletedRows: 17 });
  expect([...state.tombstones()].map((tombstone) => [tombstone.name, tombstone.collecting])).toEqual([
    ['tablets/table-t/tablet-a.parquet', true],
  ]);
  expect(state.relation('00000000000000000000000002' as ObjectId, 'v')?.kind).toBe('view');
  expect(state.committedVersion('query-2')).toBe(2);
});

test('a checkpoint of format 1 equals the state of its log', () => {
  let state: CatalogState = CatalogState.empty;
  for (const entry of entries) state = applyEntry(state, entry);
  expect(dump(decodeCheckpoint(read('checkpoint.zst')))).toEqual(dump(state));
});

test('the log calls the idempotency key of a transaction txn_id', () => {
  const transaction = { idempotencyKey: 'key', queryId: asQueryId('query'), readVersion: 7, actions: [] };
  const json = encodeTransaction(transaction);
  expect(JSON.parse(json)).toMatchObject({ txn_id: 'key', query_id: 'query' });
  expect(decodeTransaction(json)).toEqual(transaction);
});
