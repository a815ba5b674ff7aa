import { describe, expect, test } from 'vitest';
import { applyEntry } from '../state/apply-entry.ts';
import { CatalogState } from '../state/catalog-state.ts';
import {
  add,
  after,
  nextEntry,
  START,
  setVector,
  table,
  tablet,
  transaction,
  vector,
} from '../testing/catalog-fixtures.ts';
import { decodeEntry, decodeTransaction, encodeEntry, encodeTransaction } from './entry-codec.ts';

const ENTRY = nextEntry(
  CatalogState.empty,
  [
    transaction('q1', 0, [
      add(tablet('t', 'a', { partition: ['2024', null] })),
      setVector(vector('t', 'a', 3)),
    ]),
  ],
  [
    { kind: 'new_epoch', node: 'n1', address: 'n1:1717' },
    { kind: 'gc_intent', names: ['x'], orphansBeforeMs: START },
    { kind: 'gc_done', names: ['x'] },
  ],
);
type EntryJson = Record<string, unknown> & {
  put_id?: string;
  txns: { actions: { tablet: { rows: unknown } }[] }[];
};
const bytesOf = (json: unknown) => new TextEncoder().encode(JSON.stringify(json));
/** The entry as a person could write it, without a checksum. */
const json = () => {
  const { crc32c: _, ...entry } = JSON.parse(new TextDecoder().decode(encodeEntry(ENTRY).bytes));
  return entry as EntryJson;
};

test('an entry survives a round trip with the same checksum', () => {
  const sealed = encodeEntry(ENTRY);
  expect(decodeEntry(sealed.bytes)).toEqual(sealed);
  expect(sealed.entry).toEqual(ENTRY);
});

test('is JSON with names in snake case', () => {
  expect(json()).toMatchObject({
    format: 1,
    version: 1,
    epoch: 1,
    put_id: 'put-1',
    prev_sha256: '0'.repeat(64),
    txns: [
      {
        txn_id: 'q1',
        read_version: 0,
        actions: [{ kind: 'add_tablet', tablet: { tail_crc32c: 7, uncompressed_bytes: 2000 } }, {}],
      },
    ],
    records: [{ kind: 'new_epoch', address: 'n1:1717' }, { orphans_before_ms: START }, {}],
  });
});

test('damage to any byte is detected', () => {
  const { bytes } = encodeEntry(ENTRY);
  for (let at = 0; at < bytes.length; at++) {
    const damaged = Uint8Array.from(bytes);
    damaged[at]! ^= 1 << (at % 8);
    expect(() => decodeEntry(damaged)).toThrow(expect.objectContaining({ name: 'CORRUPT_METADATA' }));
  }
  for (let length = 0; length < bytes.length; length++)
    expect(() => decodeEntry(bytes.subarray(0, length))).toThrow();
});

test('a transaction survives a round trip on its own', () => {
  const one = transaction('q', 3, [{ kind: 'create', object: table('t', { description: 'ü' }) }]);
  expect(decodeTransaction(encodeTransaction(one))).toEqual(one);
  expect(() => decodeTransaction('{"txn_id":1}')).toThrow(/txn_id: expected text, found 1/);
});

describe('refuses, naming the place', () => {
  const cases: readonly [string, (entry: EntryJson) => unknown, RegExp][] = [
    ['no JSON', () => 'x'.repeat(3), /expected an object/],
    [
      'a newer format',
      (e) => ({ ...e, format: 2 }),
      /has format 2, this version of Tessera reads formats up to 1/,
    ],
    ['a missing field', ({ put_id: _, ...e }) => e, /put_id: expected text, found nothing/],
    ['an unknown field', (e) => ({ ...e, colour: 1 }), /found "colour"/],
    ['a negative number', (e) => ({ ...e, version: -1 }), /version: expected an integer, found -1/],
    ['a time that is none', (e) => ({ ...e, time: 'noon' }), /time: expected an ISO 8601 time/],
    [
      'an unknown action',
      (e) => ({ ...e, txns: [{ ...e.txns[0], actions: [{ kind: 'explode' }] }] }),
      /txns\[0\]\.actions\[0\]\.kind: expected create, alter, .*found "explode"/,
    ],
    [
      'a wrong field deep inside',
      (e) => {
        e.txns[0]!.actions[0]!.tablet.rows = 'many';
        return e;
      },
      /txns\[0\]\.actions\[0\]\.tablet\.rows: expected an integer, found "many"/,
    ],
  ];
  test.each(cases)('%s', (_, change, expected) => {
    expect(() => decodeEntry(bytesOf(change(json())))).toThrow(expected);
    expect(() => decodeEntry(bytesOf(change(json())))).toThrow(
      expect.objectContaining({ name: 'CORRUPT_METADATA' }),
    );
  });
  test('bytes that are not text', () => {
    expect(() => decodeEntry(Uint8Array.of(0xff, 0xfe))).toThrow(
      expect.objectContaining({ name: 'CORRUPT_METADATA' }),
    );
    expect(() => decodeEntry(new Uint8Array())).toThrow(
      expect.objectContaining({ name: 'CORRUPT_METADATA' }),
    );
  });
});

describe('an entry that does not continue the log', () => {
  const state = after(CatalogState.empty, [], [{ kind: 'new_epoch', node: 'n', address: 'n:1' }]);
  const next = nextEntry(state, []);
  test.each([
    ['another number', { version: 3 }, /has version 3/],
    [
      'another entry before',
      { prevSha256: 'f'.repeat(64) },
      /follows an entry of SHA-256 f+, not [0-9a-f]{64}$/,
    ],
    ['an epoch nobody began', { epoch: 2 }, /has epoch 2 after 1/],
    ['an older epoch', { epoch: 0 }, /has epoch 0 after 1/],
  ])('%s', (_, changes, expected) => {
    expect(() => applyEntry(state, encodeEntry({ ...next, ...changes }))).toThrow(expected);
  });
  test('follows unchanged', () => {
    const sealed = encodeEntry(next);
    const applied = applyEntry(state, sealed);
    expect(applied.version).toBe(2);
    expect(applied.headSha256).toBe(sealed.sha256);
    expect(() => applyEntry(applied, encodeEntry({ ...next, version: 3 }))).toThrow(/follows an entry/);
  });
});
