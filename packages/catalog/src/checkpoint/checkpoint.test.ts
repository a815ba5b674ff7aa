import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { LocationObject } from '../model.ts';
import { BOOTSTRAP_DATABASE } from '../state/bootstrap.ts';
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
          { column: 2, min: '', nulls: 0, distinct: 4 },
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

test('contains the whole state', () => {
  expect(dump(decodeCheckpoint(FILE))).toEqual(dump(STATE));
  expect(dump(decodeCheckpoint(encodeCheckpoint(CatalogState.empty)))).toEqual(dump(CatalogState.empty));
});

test('totals and versions are known before tablets are read', () => {
  const stored = decodeCheckpoint(FILE).parts.contents.get('t')!;
  expect(stored).toMatchObject({ version: 2, totals: STATE.totals(asObject('t')) });
});

test('equal states become equal files, even if they were read in between', () => {
  const again = decodeCheckpoint(FILE);
  expect(encodeCheckpoint(again)).toEqual(FILE);
  again.tablets(asObject('t'));
  again.deletionVector(asObject('t'), tablet('t', 'x7').id);
  expect(encodeCheckpoint(again)).toEqual(FILE);
});

test('changes after reading are in the next checkpoint', () => {
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

  test('a file that is truncated anywhere or has bytes appended', () => {
    fc.assert(
      fc.property(fc.nat(FILE.length - 1), (length) => {
        expect(() => decodeCheckpoint(FILE.subarray(0, length))).toThrow(corrupt);
      }),
    );
    expect(() => decodeCheckpoint(Buffer.concat([FILE, Buffer.from('x')]))).toThrow(corrupt);
  });
});

describe('credentials', () => {
  afterEach(() => void vi.unstubAllEnvs());

  const LOCATION: LocationObject = {
    ...{ kind: 'location', id: asObject('l'), name: 'l', owner: 'tessera' },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', alteredAt: '2026-01-01T00:00:00.000Z' },
    databaseId: BOOTSTRAP_DATABASE.id,
    source: 'AMAZON_S3',
    url: 's3://b/',
    credentials: { aws_secret_key: 'wJalrXUtnFEMI' },
  };
  const locationIn = (file: Uint8Array) => decodeCheckpoint(file).object(LOCATION.id) as LocationObject;

  test('written by an earlier version are encrypted by the first checkpoint that has a key', () => {
    const before = encodeCheckpoint(commit(CatalogState.empty, { kind: 'create', object: LOCATION }));
    expect(locationIn(before)).toEqual(LOCATION);
    vi.stubEnv('TESSERA_SECRETS_KEY', '00'.repeat(32));
    const after = encodeCheckpoint(decodeCheckpoint(before));
    expect(locationIn(after)).toEqual(LOCATION);
    vi.stubEnv('TESSERA_SECRETS_KEY', '');
    expect(locationIn(after).credentials['aws_secret_key']).toMatch(/^sealed:1:/);
    // A node without the key, as a metadata service may be, passes them on as they are.
    const passedOn = encodeCheckpoint(decodeCheckpoint(after));
    expect(locationIn(passedOn)).toEqual(locationIn(after));
    vi.stubEnv('TESSERA_SECRETS_KEY', '00'.repeat(32));
    expect(locationIn(passedOn)).toEqual(LOCATION);
  });
});
