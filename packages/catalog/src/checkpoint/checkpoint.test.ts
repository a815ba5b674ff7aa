import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CatalogState } from '../state/catalog-state.ts';
import {
  add,
  asObject,
  commit,
  create,
  remove,
  setVector,
  table,
  tablet,
  vector,
} from '../testing/catalog-fixtures.ts';
import { dump } from '../testing/state-dump.ts';
import { decodeCheckpoint, encodeCheckpoint } from './checkpoint.ts';

/** Two tables; one of more than one chunk, with tablets of every shape. */
const STATE = (() => {
  const many = Array.from({ length: 1300 }, (_, i) => add(tablet('t', `x${i}`, { rows: i })));
  let state = commit(CatalogState.empty, create(table('t')), create(table('u')), ...many);
  state = commit(
    state,
    add(tablet('u', 'a', { statistics: [] })),
    add(tablet('u', 'b', { statistics: [{ column: 1, nulls: 3 }], partition: ['2024-01-01', null] })),
    add(
      tablet('u', 'c', {
        statistics: [
          { column: 2, min: '', nulls: 0 },
          { column: 1, max: 'é\u0000"', nulls: 1 },
        ],
      }),
    ),
    add(tablet('u', 'd', { key: 'tablets/u/a.parquet', sharesKey: true })),
    setVector(vector('t', 'x7', 3)),
    remove('t', 'x1'),
  );
  return state;
})();
const FILE = encodeCheckpoint(STATE);

test('has the whole state', () => {
  expect(dump(decodeCheckpoint(FILE))).toEqual(dump(STATE));
  expect(dump(decodeCheckpoint(encodeCheckpoint(CatalogState.empty)))).toEqual(dump(CatalogState.empty));
});

test('totals and versions are known before tablets are read', () => {
  const stored = decodeCheckpoint(FILE).parts.contents.get('t')!;
  expect(stored).toMatchObject({ version: 2, totals: STATE.totals(asObject('t')) });
});

test('equal states become equal files, also when read in between', () => {
  const again = decodeCheckpoint(FILE);
  expect(encodeCheckpoint(again)).toEqual(FILE);
  again.tablets(asObject('t'));
  again.deletionVector(asObject('t'), tablet('t', 'x7').id);
  expect(encodeCheckpoint(again)).toEqual(FILE);
});

test('changes after reading are in the next one', () => {
  const changed = (state: CatalogState) => commit(state, remove('t', 'x600'), add(tablet('t', 'new')));
  const next = changed(decodeCheckpoint(FILE));
  expect(dump(decodeCheckpoint(encodeCheckpoint(next)))).toEqual(dump(changed(STATE)));
});

describe('refuses', () => {
  const corrupt = expect.objectContaining({ name: 'CORRUPT_METADATA' });

  test('a file with any byte changed', () => {
    fc.assert(
      fc.property(fc.nat(FILE.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Uint8Array.from(FILE);
        damaged[at] = damaged[at]! ^ change;
        expect(() => decodeCheckpoint(damaged)).toThrow(corrupt);
      }),
      { numRuns: 300 },
    );
  });

  test('a file cut anywhere, or with more behind', () => {
    fc.assert(
      fc.property(fc.nat(FILE.length - 1), (length) => {
        expect(() => decodeCheckpoint(FILE.subarray(0, length))).toThrow(corrupt);
      }),
    );
    expect(() => decodeCheckpoint(Buffer.concat([FILE, Buffer.from('x')]))).toThrow(corrupt);
  });
});
