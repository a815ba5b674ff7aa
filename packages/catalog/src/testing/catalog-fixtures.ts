import { asQueryId } from '@tessera/common';
import type { Action, Transaction } from '../actions.ts';
import type { LogEntry, SystemRecord } from '../log/entry.ts';
import { decodeEntry, encodeEntry } from '../log/entry-codec.ts';
import type { DeletionVector, ObjectId, TableObject, Tablet, TabletId } from '../model.ts';
import { applyEntry } from '../state/apply-entry.ts';
import { BOOTSTRAP_SCHEMA } from '../state/bootstrap.ts';
import type { CatalogState } from '../state/catalog-state.ts';

export const START = Date.parse('2026-01-01T00:00:00.000Z');
const TIME = new Date(START).toISOString();

export const asObject = (id: string): ObjectId => id as ObjectId;
export const asTablet = (id: string): TabletId => id as TabletId;

export function table(id: string, changes: Partial<TableObject> = {}): TableObject {
  return {
    kind: 'table',
    id: asObject(id),
    schemaId: BOOTSTRAP_SCHEMA.id,
    name: id,
    createdAt: TIME,
    alteredAt: TIME,
    owner: 'tessera',
    tableType: 'FACT',
    columns: [{ id: 1, name: 'a', storedName: 'a', type: 'BIGINT', nullable: true, since: 1 }],
    primaryIndex: [1],
    partitionBy: [],
    indexGranularity: 8192,
    schemaVersion: 1,
    nextColumnId: 2,
    indexes: [],
    ...changes,
  };
}

export function tablet(tableId: string, id: string, changes: Partial<Tablet> = {}): Tablet {
  return {
    id: asTablet(id),
    tableId: asObject(tableId),
    schemaVersion: 1,
    layout: 'compact',
    key: `tablets/${tableId}/${id}.parquet`,
    rows: 100,
    bytes: 1000,
    uncompressedBytes: 2000,
    granules: 1,
    headerOffset: 700,
    footerOffset: 800,
    tailCrc32c: 7,
    partition: [],
    statistics: [{ column: 1, min: '1', max: '9', nulls: 0 }],
    createdAt: TIME,
    ...changes,
  };
}

export function vector(
  tableId: string,
  tabletId: string,
  rows: number,
  changes: Partial<DeletionVector> = {},
): DeletionVector {
  return { tableId: asObject(tableId), tabletId: asTablet(tabletId), rows, inline: 'AAAA', ...changes };
}

export const create = (object: TableObject): Action => ({ kind: 'create', object });
export const add = (value: Tablet): Action => ({ kind: 'add_tablet', tablet: value });
export const remove = (tableId: string, tabletId: string): Action => ({
  kind: 'remove_tablet',
  tableId: asObject(tableId),
  tabletId: asTablet(tabletId),
  reason: 'merge',
});
export const setVector = (value: DeletionVector, replaces = 0): Action => ({
  kind: 'set_deletion_vector',
  vector: value,
  replaces,
});

export const transaction = (
  idempotencyKey: string,
  readVersion: number,
  actions: readonly Action[],
): Transaction => ({
  idempotencyKey,
  queryId: asQueryId(idempotencyKey),
  readVersion,
  actions,
});

/** The next entry of the state's log. */
export function nextEntry(
  state: CatalogState,
  txns: readonly Transaction[],
  records: readonly SystemRecord[] = [],
  timeMs = START + state.version,
): LogEntry {
  const newEpoch = records.some((record) => record.kind === 'new_epoch');
  return {
    version: state.version + 1,
    epoch: state.epoch + (newEpoch ? 1 : 0),
    putId: `put-${state.version + 1}`,
    prevSha256: state.headSha256,
    time: new Date(timeMs).toISOString(),
    records,
    txns,
  };
}

/** The state after an entry that went through the log. */
export function after(
  state: CatalogState,
  txns: readonly Transaction[],
  records: readonly SystemRecord[] = [],
  timeMs?: number,
): CatalogState {
  return applyEntry(state, decodeEntry(encodeEntry(nextEntry(state, txns, records, timeMs)).bytes));
}

/** Commits the actions, read at the state's own version. */
export const commit = (state: CatalogState, ...actions: readonly Action[]): CatalogState =>
  after(state, [transaction(`txn-${state.version + 1}`, state.version, actions)]);
