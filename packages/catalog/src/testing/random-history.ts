import fc from 'fast-check';
import type { Action, Transaction } from '../actions.ts';
import type { SystemRecord } from '../log/entry.ts';
import type { CatalogObject, ViewObject } from '../model.ts';
import { admit } from '../state/admit.ts';
import { BOOTSTRAP_DATABASE, BOOTSTRAP_SCHEMA } from '../state/bootstrap.ts';
import { CatalogState } from '../state/catalog-state.ts';
import {
  add,
  after,
  asObject,
  asTablet,
  create,
  setVector,
  table,
  tablet,
  transaction,
  vector,
} from './catalog-fixtures.ts';

/** Names and ids come from small pools, so that transactions meet. */
const nat = (max: number) => fc.nat(max);
const tableIds = nat(4).map((n) => `t${n}`);
const names = nat(9).map((n) => `n${n}`);
const tabletIds = nat(29).map((n) => `x${n}`);
const earlyTabletIds = nat(8).map((n) => `x${n}`);
const schemaVersion = nat(7).map((n) => (n === 0 ? 2 : 1));
const schemaIds = fc.constantFrom(BOOTSTRAP_SCHEMA.id, asObject('s1'), asObject('s2'));

const BASE = { createdAt: BOOTSTRAP_SCHEMA.createdAt, alteredAt: BOOTSTRAP_SCHEMA.alteredAt, owner: 'o' };

const someTable = fc
  .record({ id: tableIds, name: names, schemaId: schemaIds, schemaVersion })
  .map(({ id, ...changes }) => table(id, changes));
const someView = fc.record({ name: names, schemaId: schemaIds, of: tableIds }).map(
  ({ name, schemaId, of }): ViewObject => ({
    ...BASE,
    kind: 'view',
    id: asObject(`v-${name}`),
    name,
    schemaId,
    sql: `SELECT * FROM ${of}`,
    database: 'tessera',
    references: [asObject(of)],
  }),
);
const someSchema = fc.constantFrom('s1', 's2').map(
  (id): CatalogObject => ({
    ...BASE,
    kind: 'schema',
    id: asObject(id),
    name: id,
    databaseId: BOOTSTRAP_DATABASE.id,
  }),
);
const someObject = fc.oneof(
  { weight: 4, arbitrary: someTable },
  { weight: 1, arbitrary: someView },
  { weight: 1, arbitrary: someSchema },
);
const droppedId = fc
  .oneof(
    tableIds,
    names.map((name) => `v-${name}`),
    fc.constantFrom('s1', 's2'),
  )
  .map(asObject);

/** Stands for the key of some tablet that is there: `historyOf` puts it in. */
const SHARED = 'the key of another tablet';

const someTablet = fc
  .record({ tableId: tableIds, id: tabletIds, schemaVersion, shape: nat(5) })
  .map(({ tableId, id, schemaVersion, shape }) => {
    const stored = tablet(tableId, id, { schemaVersion, rows: 10 + shape });
    if (shape === 1) return { ...stored, key: SHARED, sharesKey: true as const };
    if (shape > 1) return stored;
    const { key: _, ...rest } = stored;
    return { ...rest, layout: 'subcompact' as const, inline: 'QQ==' };
  });

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: someObject.map((object): Action => ({ kind: 'create', object })) },
  { weight: 2, arbitrary: someTable.map((object): Action => ({ kind: 'alter', object })) },
  { weight: 1, arbitrary: droppedId.map((id): Action => ({ kind: 'drop', id })) },
  { weight: 6, arbitrary: someTablet.map(add) },
  {
    weight: 1,
    arbitrary: tableIds.map((id): Action => ({ kind: 'expect_same_rows', tableId: asObject(id) })),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(tableIds, earlyTabletIds).map(
      ([tableId, tabletId]): Action => ({
        kind: 'remove_tablet',
        tableId: asObject(tableId),
        tabletId: asTablet(tabletId),
        reason: 'merge',
      }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(tableIds, earlyTabletIds, fc.integer({ min: 1, max: 3 }), fc.option(fc.uuid())).map(
      ([tableId, tabletId, rows, name]): Action => ({
        kind: 'set_deletion_vector',
        vector: vector(tableId, tabletId, rows, name === null ? {} : { key: `dv/${tabletId}/${name}.bin` }),
        replaces: 0,
      }),
    ),
  },
);

/** `lag`: how many versions ago the transaction read. */
export interface Attempt {
  readonly lag: number;
  readonly actions: readonly Action[];
}

/** Batches of transactions, each batch for one entry. */
export const attempts: fc.Arbitrary<readonly (readonly Attempt[])[]> = fc.array(
  fc.array(fc.record({ lag: nat(4), actions: fc.array(action, { minLength: 1, maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
  { minLength: 5, maxLength: 40, size: 'max' },
);

/** One entry of a history: what was admitted to it, and the states around it. */
export interface Step {
  readonly before: CatalogState;
  readonly admitted: readonly Transaction[];
  readonly refused: readonly Transaction[];
  readonly records: readonly SystemRecord[];
  /** The state that the last transaction of the entry was admitted to. */
  readonly pending: CatalogState;
  readonly after: CatalogState;
}

/** Lets a leader have the attempts; some entries collect garbage. */
export function historyOf(batches: readonly (readonly Attempt[])[]): readonly Step[] {
  let state = START_STATE;
  const steps: Step[] = [];
  const usedIds = new Set(
    START_STATE.relations(BOOTSTRAP_SCHEMA.id).flatMap((t) => [
      t.id,
      ...START_STATE.tablets(t.id).map((x) => `${t.id} ${x.id}`),
    ]),
  );
  for (const [round, batch] of batches.entries()) {
    let pending = state;
    const admitted: Transaction[] = [];
    const refused: Transaction[] = [];
    for (const [i, { lag, actions }] of batch.entries()) {
      const read = lag === 0 ? state : (steps.at(-lag)?.before ?? state);
      const filled = actions.map((action) => withSharedKey(onTopOf(action, read), pending));
      const txn = transaction(`q${round}.${i}`, read.version, filled);
      const ids = actions.flatMap(madeBy);
      if (ids.some((id) => usedIds.has(id))) continue;
      const admission = admit(pending, txn);
      if (admission.kind === 'admitted') {
        pending = admission.pending;
        for (const id of ids) usedIds.add(id);
      }
      (admission.kind === 'admitted' ? admitted : refused).push(txn);
    }
    const records = collection(state, round);
    const next = after(state, admitted, records);
    steps.push({ before: state, admitted, refused, records, pending, after: next });
    state = next;
  }
  return steps;
}

/** Tables t0 to t3 with six tablets each. */
const START_STATE = after(
  CatalogState.empty,
  [
    transaction(
      'start',
      0,
      ['t0', 't1', 't2', 't3'].flatMap((id, n) => [
        create(table(id, { name: `n${n}` })),
        ...[0, 1, 2, 3, 4, 5].map((x) => add(tablet(id, `x${x}`))),
      ]),
    ),
  ],
  [{ kind: 'new_epoch', node: 'n', address: 'n:1' }],
);

/** Ids are never used twice. */
function madeBy(action: Action): string[] {
  if (action.kind === 'create') return [action.object.id];
  return action.kind === 'add_tablet' ? [`${action.tablet.tableId} ${action.tablet.id}`] : [];
}

/** Deletes more rows than the vector that the transaction read. */
function onTopOf(action: Action, read: CatalogState): Action {
  if (action.kind !== 'set_deletion_vector') return action;
  const replaces = read.deletionVector(action.vector.tableId, action.vector.tabletId)?.rows ?? 0;
  return setVector({ ...action.vector, rows: replaces + action.vector.rows }, replaces);
}

function withSharedKey(action: Action, state: CatalogState): Action {
  if (action.kind !== 'add_tablet' || action.tablet.key !== SHARED) return action;
  for (const key of state.objectNames())
    if (key.startsWith('tablets/')) return add({ ...action.tablet, key });
  const { sharesKey: _, ...alone } = action.tablet;
  return add({ ...alone, key: `tablets/first-${alone.tableId}-${alone.id}.parquet` });
}

function collection(state: CatalogState, round: number): readonly SystemRecord[] {
  const tombstones = [...state.tombstones()];
  if (round % 7 === 5) {
    const names = tombstones.map((tombstone) => tombstone.name).sort();
    return [{ kind: 'gc_intent', names: names.slice(0, 2) }];
  }
  if (round % 7 !== 6) return [];
  const collected = tombstones.filter((tombstone) => tombstone.collecting);
  return [{ kind: 'gc_done', names: collected.map((tombstone) => tombstone.name) }];
}
