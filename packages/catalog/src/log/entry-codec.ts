import { createHash } from 'node:crypto';
import { crc32c } from '@node-rs/crc32';
import { type QueryId, TesseraError } from '@tessera/common';
import type { Action, Transaction } from '../actions.ts';
import { type Codec, count, id, list, MalformedJson, oneOf, text, timestamp } from '../codec/codec.ts';
import { catalogObject, deletionVector, objectId, tablet, tabletId } from '../codec/model-codecs.ts';
import { optional, record, union } from '../codec/record.ts';
import type { LogEntry, SealedEntry, SystemRecord } from './entry.ts';

const FORMAT = 1;

const action: Codec<Action> = union<Action>({
  create: { object: catalogObject },
  alter: { object: catalogObject },
  drop: { id: objectId },
  add_tablet: { tablet },
  remove_tablet: {
    tableId: objectId,
    tabletId,
    reason: oneOf('delete', 'truncate', 'merge', 'drop_partition', 'alter_type'),
  },
  set_deletion_vector: { vector: deletionVector, replaces: count },
  expect_same_rows: { tableId: objectId },
});

type StoredTransaction = Omit<Transaction, 'idempotencyKey'> & { readonly txnId: string };

const storedTransaction: Codec<StoredTransaction> = record<StoredTransaction>({
  txnId: text,
  queryId: id<QueryId>(),
  readVersion: count,
  actions: list(action),
});

/** The log calls the idempotency key `txn_id`. */
const transaction: Codec<Transaction> = {
  toJson: ({ idempotencyKey, ...rest }) => storedTransaction.toJson({ txnId: idempotencyKey, ...rest }),
  fromJson: (json, place) => {
    const { txnId, ...rest } = storedTransaction.fromJson(json, place);
    return { idempotencyKey: txnId, ...rest };
  },
};

const systemRecord: Codec<SystemRecord> = union<SystemRecord>({
  new_epoch: { node: text, address: text },
  gc_intent: { names: list(text), orphansBeforeMs: optional(count) },
  gc_done: { names: list(text) },
});

const logEntry = record<LogEntry & { readonly format: number }>({
  format: count,
  version: count,
  epoch: count,
  putId: text,
  prevSha256: text,
  time: timestamp,
  records: list(systemRecord),
  txns: list(transaction),
});

/** The entry as the log stores it: one JSON document, UTF-8. */
export function encodeEntry(entry: LogEntry): SealedEntry {
  const json = logEntry.toJson({ format: FORMAT, ...entry });
  return sealed(entry, withChecksum(JSON.stringify(json)));
}

/** @throws TesseraError CORRUPT_METADATA, also for entries of a newer format */
export function decodeEntry(bytes: Uint8Array): SealedEntry {
  try {
    const json: unknown = JSON.parse(withoutChecksum(bytes));
    const format = (json as { format?: unknown } | null)?.format;
    if (typeof format === 'number' && format > FORMAT)
      throw TesseraError.of('CORRUPT_METADATA', {
        what: 'log entry',
        reason: `it has format ${format}, this version of Tessera reads formats up to ${FORMAT}`,
      });
    const { format: _, ...entry } = logEntry.fromJson(json, '');
    return sealed(entry, bytes);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof MalformedJson)
      throw TesseraError.of('CORRUPT_METADATA', { what: 'log entry', reason: error.message });
    throw error;
  }
}

/** The text with the CRC-32C of what stands before it as its last field. */
function withChecksum(json: string): Uint8Array {
  const body = Buffer.from(json.slice(0, -1));
  const checksum = crc32c(body).toString(16).padStart(8, '0');
  return Buffer.concat([body, Buffer.from(`,"crc32c":"${checksum}"}`)]);
}

/** An entry that a person wrote has no checksum; one whose checksum is damaged has a field that is not known. */
function withoutChecksum(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  const end = /,"crc32c":"([0-9a-f]{8})"\}$/.exec(text);
  if (end === null) return text;
  const body = bytes.subarray(0, bytes.length - end[0].length);
  if (crc32c(body) !== Number.parseInt(end[1]!, 16))
    throw new MalformedJson('crc32c', crc32c(body).toString(16), end[1]);
  return `${text.slice(0, end.index)}}`;
}

/** A transaction as text, as it also stands in log entries. */
export const encodeTransaction = (value: Transaction): string => JSON.stringify(transaction.toJson(value));

/** @throws TesseraError CORRUPT_METADATA */
export function decodeTransaction(json: string): Transaction {
  try {
    return transaction.fromJson(JSON.parse(json), '');
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof MalformedJson)
      throw TesseraError.of('CORRUPT_METADATA', { what: 'transaction', reason: error.message });
    throw error;
  }
}

const sealed = (entry: LogEntry, bytes: Uint8Array): SealedEntry => ({
  entry,
  bytes,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});
