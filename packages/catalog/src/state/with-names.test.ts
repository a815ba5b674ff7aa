import { expect, test } from 'vitest';
import { decodeCheckpoint, encodeCheckpoint } from '../checkpoint/checkpoint.ts';
import {
  add,
  commit,
  create,
  remove,
  setVector,
  table,
  tablet,
  vector,
} from '../testing/catalog-fixtures.ts';
import { CatalogState } from './catalog-state.ts';
import { withNames } from './with-names.ts';

const located = (id: string) => `s3://lake/tablets/t/${id}.parquet`;

test('renaming objects of a state changes tablets and shares, and drops tombstones of the old names', () => {
  const state = commit(
    CatalogState.empty,
    create(table('t')),
    create(table('clone')),
    create(table('other')),
    ...['a', 'b', 'c'].map((id) => add(tablet('t', id, { key: located(id) }))),
    setVector(vector('t', 'a', 3)),
    add(tablet('clone', 'x', { key: located('a'), sharesKey: true })),
    add(tablet('other', 'y')),
    add(tablet('other', 'z')),
    remove('t', 'b'),
    remove('other', 'z'),
  );
  const renamed = withNames(state, (name) => name.replace('s3://lake/', ''));
  const read = decodeCheckpoint(encodeCheckpoint(renamed));
  for (const one of [renamed, read]) {
    expect([...one.objectNames()].sort()).toEqual([
      'tablets/other/y.parquet',
      'tablets/t/a.parquet',
      'tablets/t/a.parquet',
      'tablets/t/c.parquet',
    ]);
    expect([...one.tombstones()].map(({ name }) => name)).toEqual(['tablets/other/z.parquet']);
    expect(one.totals(table('t').id)).toEqual(state.totals(table('t').id));
    expect(one.deletionVector(table('t').id, tablet('t', 'a').id)).toMatchObject({ rows: 3 });
    // The clone still needs the object.
    const without = commit(one, remove('t', 'a'));
    expect([...without.tombstones()].map(({ name }) => name)).toEqual(['tablets/other/z.parquet']);
    const gone = commit(without, remove('clone', 'x'));
    expect([...gone.tombstones()].map(({ name }) => name).sort()).toEqual([
      'tablets/other/z.parquet',
      'tablets/t/a.parquet',
    ]);
  }
});
