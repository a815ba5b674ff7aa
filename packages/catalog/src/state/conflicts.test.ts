import { describe, expect, test } from 'vitest';
import { type Action, loggedTransaction, type Transaction } from '../actions.ts';
import { decodeCheckpoint, encodeCheckpoint } from '../checkpoint/checkpoint.ts';
import type { ExternalTableObject, LocationObject, SchemaObject, UserObject, ViewObject } from '../model.ts';
import {
  add,
  after,
  asObject,
  asTablet,
  commit,
  create,
  remove,
  START,
  setVector,
  table,
  tablet,
  transaction,
  vector,
} from '../testing/catalog-fixtures.ts';
import { admit } from './admit.ts';
import { BOOTSTRAP_DATABASE, BOOTSTRAP_SCHEMA } from './bootstrap.ts';
import { CatalogState } from './catalog-state.ts';

/** The error that refuses the transaction; undefined if it is admitted. */
function validate(state: CatalogState, change: Transaction) {
  const admission = admit(state, change);
  return admission.kind === 'refused' ? admission.error : undefined;
}

const sameRows = (id: string): Action => ({ kind: 'expect_same_rows', tableId: asObject(id) });

/** Version 1: table t with tablets a and b, and an empty table. */
const BASE = commit(
  CatalogState.empty,
  create(table('t')),
  add(tablet('t', 'a')),
  add(tablet('t', 'b')),
  create(table('empty')),
);

const schema: SchemaObject = {
  kind: 'schema',
  id: asObject('s'),
  databaseId: BOOTSTRAP_DATABASE.id,
  name: 's',
  createdAt: BASE.object(asObject('t'))!.createdAt,
  alteredAt: BASE.object(asObject('t'))!.createdAt,
  owner: 'tessera',
};
const view: ViewObject = {
  ...schema,
  kind: 'view',
  id: asObject('v'),
  name: 'v',
  schemaId: BOOTSTRAP_SCHEMA.id,
  sql: 'SELECT * FROM t',
  database: 'tessera',
  references: [asObject('t')],
};
const location: LocationObject = {
  ...schema,
  kind: 'location',
  id: asObject('l'),
  name: 'l',
  source: 'AMAZON_S3',
  url: 's3://bucket/',
  credentials: {},
};
const external: ExternalTableObject = {
  ...schema,
  kind: 'external_table',
  id: asObject('e'),
  name: 'e',
  schemaId: BOOTSTRAP_SCHEMA.id,
  columns: [],
  url: 's3://bucket/e/',
  format: 'CSV',
  options: {},
  locationId: location.id,
};

const drop = (id: string): Action => ({ kind: 'drop', id: asObject(id) });
const alter = (changes: object): Action => ({ kind: 'alter', object: table('t', changes) });
const makeView: Action = { kind: 'create', object: view };
const column = { id: 1, name: 'a', storedName: 'a', type: 'BIGINT', nullable: true, since: 1 };
const added = { ...column, id: 2, name: 'b', storedName: 'b', since: 2 };
const widened = { schemaVersion: 2, nextColumnId: 3, columns: [column, added] };
const strict = { ...widened, columns: [column, { ...added, nullable: false }] };
const strictWithValue = { ...widened, columns: [column, { ...added, nullable: false, initialSql: '7' }] };

describe('a transaction that read before another one committed', () => {
  const cases: readonly [name: string, first: Action[], second: Action[], expected: string | undefined][] = [
    ['inserts do not conflict', [add(tablet('t', 'c'))], [add(tablet('t', 'd'))], undefined],
    ['expected rows after an insert', [add(tablet('t', 'c'))], [sameRows('t')], 'TRANSACTION_CONFLICT'],
    [
      'expected rows after a delete',
      [setVector(vector('t', 'a', 1))],
      [sameRows('t')],
      'TRANSACTION_CONFLICT',
    ],
    ['expected rows after a merge', [remove('t', 'a')], [sameRows('t')], 'TRANSACTION_CONFLICT'],
    ['expected rows after a drop', [drop('t')], [sameRows('t')], 'TRANSACTION_CONFLICT'],
    [
      'an insert into expected rows after another one',
      [add(tablet('t', 'c')), sameRows('t')],
      [add(tablet('t', 'd')), sameRows('t')],
      'TRANSACTION_CONFLICT',
    ],
    ['expected rows after a rename', [alter({ name: 'u' })], [sameRows('t')], undefined],
    ['expected rows of another table', [add(tablet('empty', 'c'))], [sameRows('t')], undefined],
    ['an insert after one into expected rows', [sameRows('t')], [add(tablet('t', 'd'))], undefined],
    ['insert after a drop of the table', [drop('t')], [add(tablet('t', 'c'))], 'TRANSACTION_CONFLICT'],
    ['insert after a change of columns', [alter(widened)], [add(tablet('t', 'c'))], 'TRANSACTION_CONFLICT'],
    ['insert after a rename', [alter({ name: 'u' })], [add(tablet('t', 'c'))], undefined],
    ['change of columns after an insert', [add(tablet('t', 'c'))], [alter(widened)], undefined],
    ['drop after an insert', [add(tablet('t', 'c'))], [drop('t')], undefined],
    ['drop after a rename', [alter({ name: 'u' })], [drop('t')], 'TRANSACTION_CONFLICT'],
    ['drop after a drop', [drop('t')], [drop('t')], 'TRANSACTION_CONFLICT'],
    ['two changes of one table', [alter({ name: 'u' })], [alter({ name: 'w' })], 'TRANSACTION_CONFLICT'],
    [
      'two deletes on one tablet',
      [setVector(vector('t', 'a', 1))],
      [setVector(vector('t', 'a', 2))],
      'TRANSACTION_CONFLICT',
    ],
    [
      'deletes on different tablets',
      [setVector(vector('t', 'a', 1))],
      [setVector(vector('t', 'b', 2))],
      undefined,
    ],
    [
      'delete on a merged tablet',
      [remove('t', 'a')],
      [setVector(vector('t', 'a', 1))],
      'TRANSACTION_CONFLICT',
    ],
    [
      'merge of a tablet with new deletes',
      [setVector(vector('t', 'a', 1))],
      [remove('t', 'a')],
      'TRANSACTION_CONFLICT',
    ],
    ['two merges of one tablet', [remove('t', 'a')], [remove('t', 'a')], 'TRANSACTION_CONFLICT'],
    ['delete beside an insert', [add(tablet('t', 'c'))], [setVector(vector('t', 'a', 1))], undefined],
    [
      'delete after a drop of the table',
      [drop('t')],
      [setVector(vector('t', 'a', 1))],
      'TRANSACTION_CONFLICT',
    ],
    [
      'two objects of one name',
      [create(table('x', { name: 'n' }))],
      [create(table('y', { name: 'n' }))],
      'DUPLICATE_OBJECT',
    ],
    ['a rename to a name just taken', [create(table('x'))], [alter({ name: 'x' })], 'DUPLICATE_OBJECT'],
    [
      'a view of a table just dropped',
      [drop('t')],
      [{ kind: 'create', object: view }],
      'TRANSACTION_CONFLICT',
    ],
    [
      'drop of a table that just got a view',
      [{ kind: 'create', object: view }],
      [drop('t')],
      'TRANSACTION_CONFLICT',
    ],
    ['a view of a table just renamed', [alter({ name: 'u' })], [makeView], 'TRANSACTION_CONFLICT'],
    ['rename of a table that just got a view', [makeView], [alter({ name: 'u' })], 'TRANSACTION_CONFLICT'],
    ['new columns of a table that just got a view', [makeView], [alter(widened)], 'TRANSACTION_CONFLICT'],
    ['another owner of a table that just got a view', [makeView], [alter({ owner: 'o' })], undefined],
    [
      'a NOT NULL column after an insert into an empty table',
      [add(tablet('empty', 'c'))],
      [{ kind: 'alter', object: table('empty', strict) }],
      'TRANSACTION_CONFLICT',
    ],
    [
      'a NOT NULL column with a value for older rows',
      [add(tablet('empty', 'c'))],
      [{ kind: 'alter', object: table('empty', strictWithValue) }],
      undefined,
    ],
    [
      'a NOT NULL column of an empty table',
      [add(tablet('t', 'c'))],
      [{ kind: 'alter', object: table('empty', strict) }],
      undefined,
    ],
  ];
  test.each(cases)('%s', (_, first, second, expected) => {
    const state = after(BASE, [transaction('first', BASE.version, first)]);
    expect(validate(state, transaction('second', BASE.version, second))?.name).toBe(expected);
  });

  test('drop of a table that a view was just changed to read', () => {
    const withView = commit(BASE, { kind: 'create', object: { ...view, references: [] } });
    const changed = commit(withView, { kind: 'alter', object: view });
    const error = validate(changed, transaction('second', withView.version, [drop('t')]));
    expect(error?.name).toBe('TRANSACTION_CONFLICT');
    expect(validate(changed, transaction('third', changed.version, [drop('t')]))?.name).toBe(
      'DEPENDENT_OBJECTS',
    );
  });

  test('sees earlier transactions of the same entry', () => {
    const first = admit(BASE, transaction('first', 1, [setVector(vector('t', 'a', 1))]));
    if (first.kind !== 'admitted') throw new Error(first.kind);
    const second = validate(first.pending, transaction('second', 1, [setVector(vector('t', 'a', 2))]));
    expect(second?.name).toBe('TRANSACTION_CONFLICT');
    expect(admit(first.pending, transaction('first', 1, []))).toEqual({ kind: 'committed', version: 2 });
  });
});

test('the log keeps a transaction without the rows that it expected', () => {
  const change = transaction('logged', BASE.version, [sameRows('t'), add(tablet('t', 'c'))]);
  expect(loggedTransaction(change)).toEqual({ ...change, actions: [add(tablet('t', 'c'))] });
});

describe('a transaction alone', () => {
  test('may change rows that it expects to be the same', () => {
    const change = transaction('own', BASE.version, [
      add(tablet('t', 'c')),
      sameRows('t'),
      setVector(vector('t', 'c', 1)),
      create(table('own')),
      sameRows('own'),
    ]);
    expect(validate(BASE, change)).toBeUndefined();
  });

  const cases: readonly [name: string, actions: Action[], expected: string | undefined][] = [
    ['a name that is taken', [create(table('x', { name: 't' }))], 'DUPLICATE_OBJECT'],
    ['drop of nothing', [drop('nothing')], 'UNDEFINED_OBJECT'],
    ['a table in no schema', [create(table('x', { schemaId: asObject('nothing') }))], 'UNDEFINED_OBJECT'],
    ['drop of a schema with a table', [drop(BOOTSTRAP_SCHEMA.id)], 'DEPENDENT_OBJECTS'],
    ['drop of a schema before its tables', [drop(BOOTSTRAP_SCHEMA.id), drop('t'), drop('empty')], undefined],
    [
      'drop of a database with all in it',
      [drop('t'), drop('empty'), drop(BOOTSTRAP_SCHEMA.id), drop(BOOTSTRAP_DATABASE.id)],
      undefined,
    ],
    ['drop of a table with a view', [{ kind: 'create', object: view }, drop('t')], 'DEPENDENT_OBJECTS'],
    ['drop of a table and its view', [{ kind: 'create', object: view }, drop('t'), drop('v')], undefined],
    [
      'drop of a location in use',
      [{ kind: 'create', object: location }, { kind: 'create', object: external }, drop('l')],
      'DEPENDENT_OBJECTS',
    ],
    [
      'its own changes',
      [add(tablet('t', 'c')), setVector(vector('t', 'c', 1)), setVector(vector('t', 'c', 3), 1)],
      undefined,
    ],
    ['a vector made from an older one', [setVector(vector('t', 'a', 3), 2)], 'TRANSACTION_CONFLICT'],
    ['a vector of too many rows', [setVector(vector('t', 'a', 101))], 'TRANSACTION_CONFLICT'],
    [
      'rename, then a new table of the old name',
      [alter({ name: 'u' }), create(table('x', { name: 't' }))],
      undefined,
    ],
    [
      'a clone of a table whose columns were altered',
      [create(table('x', widened)), add(tablet('x', 'c', { key: 'tablets/t/a.parquet', sharesKey: true }))],
      undefined,
    ],
    [
      'a tablet of columns to come',
      [create(table('x')), add(tablet('x', 'c', { schemaVersion: 2 }))],
      'TRANSACTION_CONFLICT',
    ],
    ['a new table with tablets', [create(table('x')), add(tablet('x', 'c'))], undefined],
  ];
  test.each(cases)('%s', (_, actions, expected) => {
    expect(validate(BASE, transaction('one', BASE.version, actions))?.name).toBe(expected);
  });

  test('an index name is taken once in a schema', () => {
    const index = { name: 'i', kind: 'skip', expressions: ['a'], createdAt: schema.createdAt } as const;
    const state = commit(BASE, create(table('x', { indexes: [index] })));
    const error = validate(state, transaction('one', 2, [alter({ indexes: [index] })]));
    expect(error?.message).toBe('Index "i" already exists');
  });
});

describe('objects of the store', () => {
  const NAME = '01KDVE6Q00AAAAAAAAAAAAAAAA';

  test('a tablet that is garbage cannot be committed again', () => {
    const state = commit(BASE, remove('t', 'a'));
    expect([...state.tombstones()]).toMatchObject([
      { name: 'tablets/t/a.parquet', version: 2, collecting: false },
    ]);
    const again = add(tablet('t', 'z', { key: 'tablets/t/a.parquet' }));
    expect(validate(state, transaction('one', 2, [again]))?.name).toBe('TRANSACTION_CONFLICT');
  });

  test('an object older than the collected orphans cannot be committed, also when the collection is done', () => {
    const collected = after(
      BASE,
      [],
      [{ kind: 'gc_intent', names: ['x'], orphansBeforeMs: START + 3_600_000 }],
    );
    const done = after(collected, [], [{ kind: 'gc_done', names: ['x'] }]);
    const late = transaction('late', 1, [add(tablet('t', NAME))]);
    expect(validate(BASE, late)).toBeUndefined();
    expect(validate(done, late)?.message).toContain('collected as an orphan');
    expect([...done.tombstones()]).toEqual([]);
  });

  test('a shared object is garbage when its last user is removed', () => {
    const shared = tablet('t', 'clone', { key: 'tablets/t/a.parquet', sharesKey: true });
    const state = commit(commit(BASE, add(shared)), remove('t', 'a'));
    expect([...state.tombstones()]).toEqual([]);
    expect([...commit(state, remove('t', 'clone')).tombstones()].map((t) => t.name)).toEqual([
      'tablets/t/a.parquet',
    ]);
  });

  test('dropping a table leaves its tablets and vectors as garbage', () => {
    const keyed = setVector(vector('t', 'b', 1, { key: 'dv/b/1.bin' }));
    const state = commit(commit(BASE, keyed), drop('t'));
    expect([...state.tombstones()].map((t) => t.name).sort()).toEqual([
      'dv/b/1.bin',
      'tablets/t/a.parquet',
      'tablets/t/b.parquet',
    ]);
    expect(state.tablets(asObject('t'))).toEqual([]);
  });
});

describe('an owner', () => {
  const { databaseId: _, ...base } = schema;
  const ann: UserObject = {
    ...base,
    kind: 'user',
    id: asObject('ann'),
    name: 'ann',
    enabled: true,
    memberOf: [],
  };
  const withAnn = commit(BASE, { kind: 'create', object: ann });
  const owned = create(table('of-ann', { owner: 'ann' }));
  const renamed: Action = { kind: 'alter', object: { ...ann, name: 'anna' } };
  const asks = (state: CatalogState, actions: readonly Action[], readVersion = withAnn.version) =>
    validate(state, transaction('second', readVersion, actions))?.name;

  test('is neither dropped nor renamed if another transaction created objects of it meanwhile', () => {
    const state = commit(withAnn, owned);
    expect(asks(state, [drop('ann')])).toBe('TRANSACTION_CONFLICT');
    expect(asks(state, [renamed])).toBe('TRANSACTION_CONFLICT');
  });

  test('is dropped with or after what it owns', () => {
    const state = commit(withAnn, owned);
    expect(asks(state, [drop('ann')], state.version)).toBe('DEPENDENT_OBJECTS');
    const given: Action = { kind: 'alter', object: table('of-ann', { owner: 'tessera' }) };
    expect(asks(state, [given, drop('ann')], state.version)).toBeUndefined();
    expect(asks(state, [drop('of-ann'), drop('ann')], state.version)).toBeUndefined();
    expect(asks(withAnn, [renamed, drop('ann')])).toBeUndefined();
  });
});

describe('partial rows of an aggregating index', () => {
  const partials = { id: asObject('p'), columns: [] };
  const index = {
    name: 'i',
    kind: 'aggregating',
    expressions: ['count(*)'],
    createdAt: schema.createdAt,
    partials,
  } as const;
  const partial = (id: string, of: string, deletedRows = 0) =>
    add(tablet('p', id, { partialOf: { tableId: asObject('t'), tabletId: asTablet(of), deletedRows } }));
  const indexed = commit(
    BASE,
    { kind: 'alter', object: table('t', { indexes: [index] }) },
    partial('pa', 'a'),
    partial('pb', 'b'),
  );
  const idsIn = (state: CatalogState) => state.tablets(partials.id).map(({ id }) => id);
  const garbageOf = (state: CatalogState) => [...state.tombstones()].map(({ name }) => name);

  test('are there as long as the rows of their tablet are the same, also after a checkpoint', () => {
    expect(idsIn(indexed)).toEqual(['pa', 'pb']);
    const read = decodeCheckpoint(encodeCheckpoint(indexed));
    expect(read.tablets(partials.id)).toEqual(indexed.tablets(partials.id));
    const deleted = commit(read, setVector(vector('t', 'a', 5)));
    expect(idsIn(deleted)).toEqual(['pb']);
    expect(garbageOf(deleted)).toContain('tablets/p/pa.parquet');
    const merged = commit(deleted, remove('t', 'b'), add(tablet('t', 'c')), partial('pc', 'c'));
    expect(idsIn(merged)).toEqual(['pc']);
    expect(garbageOf(merged)).toContain('tablets/p/pb.parquet');
  });

  test('become garbage if their tablet has changed, and are replaced by newer ones', () => {
    const late = commit(
      commit(indexed, setVector(vector('t', 'a', 5)), remove('t', 'b')),
      partial('x', 'a', 4),
      partial('y', 'b'),
    );
    expect(idsIn(late)).toEqual([]);
    expect(garbageOf(late)).toEqual(expect.arrayContaining(['tablets/p/x.parquet', 'tablets/p/y.parquet']));
    const newer = commit(late, partial('z', 'a', 5));
    expect(idsIn(commit(newer, partial('zz', 'a', 5)))).toEqual(['zz']);
  });

  test('stay when rows of their tablet are deleted if they are filters of a skip index, also after a checkpoint', () => {
    const filter = { kind: 'bloom_filter', falsePositiveRate: '0.01' } as const;
    const of = (tabletId: string) => ({ tableId: asObject('t'), tabletId: asTablet(tabletId) });
    const skipped = commit(
      commit(BASE, setVector(vector('t', 'a', 5))),
      { kind: 'alter', object: table('t', { indexes: [{ ...index, kind: 'skip', filter }] }) },
      add(tablet('p', 'pa', { partialOf: of('a') })),
      add(tablet('p', 'pb', { partialOf: of('b') })),
    );
    const read = decodeCheckpoint(encodeCheckpoint(skipped));
    expect(read.tablets(partials.id)).toEqual(skipped.tablets(partials.id));
    expect(read.object(asObject('t'))).toEqual(skipped.object(asObject('t')));
    const deleted = commit(read, setVector(vector('t', 'a', 6), 5));
    expect(idsIn(deleted)).toEqual(['pa', 'pb']);
    expect(idsIn(commit(deleted, remove('t', 'a')))).toEqual(['pb']);
  });

  test('share their object with the index of a clone', () => {
    const NAME = '01KDVE6Q00AAAAAAAAAAAAAAAA';
    const key = `tablets/p/${NAME}.parquet`;
    const old = commit(indexed, partial(NAME, 'a'));
    const collected = after(
      old,
      [],
      [{ kind: 'gc_intent', names: ['x'], orphansBeforeMs: START + 3_600_000 }],
    );
    const partialOf = { tableId: asObject('x'), tabletId: asTablet('ca'), deletedRows: 0 };
    const cloned = commit(
      collected,
      create(
        table('x', { indexes: [{ ...index, name: 'j', partials: { ...partials, id: asObject('q') } }] }),
      ),
      add(tablet('x', 'ca', { key: 'tablets/t/a.parquet', sharesKey: true })),
      add(tablet('q', 'qa', { key, sharesKey: true, partialOf })),
    );
    const dropped = commit(cloned, drop('t'));
    expect(garbageOf(dropped).sort()).toEqual([
      'tablets/p/pa.parquet',
      'tablets/p/pb.parquet',
      'tablets/t/b.parquet',
      'x',
    ]);
    expect(garbageOf(commit(dropped, drop('x')))).toEqual(
      expect.arrayContaining([key, 'tablets/t/a.parquet']),
    );
  });

  test('are dropped with their index or its table, whose absence is no conflict', () => {
    const without = commit(indexed, { kind: 'alter', object: table('t') });
    expect(idsIn(without)).toEqual([]);
    expect(garbageOf(without)).toEqual(['tablets/p/pa.parquet', 'tablets/p/pb.parquet']);
    const dropped = commit(indexed, { kind: 'drop', id: asObject('t') });
    expect(garbageOf(dropped)).toHaveLength(4);
    for (const state of [without, dropped]) {
      const refused = admit(state, transaction('late', indexed.version, [partial('pc', 'a')]));
      expect(refused).toMatchObject({ kind: 'refused', error: { name: 'TRANSACTION_CONFLICT' } });
    }
  });
});
