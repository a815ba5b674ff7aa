import type { ValueFormat } from '@tessera/sql';
import type { RowField } from '../values/row-description.ts';
import { MessageWriter } from './message-writer.ts';

/** `I`: no transaction is open; `T`: one is open; `E`: the open transaction has failed. */
export type TransactionStatus = 'I' | 'T' | 'E';

const formatCode = (format: ValueFormat): number => (format === 'text' ? 0 : 1);

const empty = (type: string): Buffer => new MessageWriter(type).done();

const READY = {
  I: new MessageWriter('Z').byte(0x49).done(),
  T: new MessageWriter('Z').byte(0x54).done(),
  E: new MessageWriter('Z').byte(0x45).done(),
} as const;

export const AUTHENTICATION_OK = new MessageWriter('R').int32(0).done();
export const AUTHENTICATION_CLEARTEXT = new MessageWriter('R').int32(3).done();
export const PARSE_COMPLETE = empty('1');
export const BIND_COMPLETE = empty('2');
export const CLOSE_COMPLETE = empty('3');
export const NO_DATA = empty('n');
export const EMPTY_QUERY = empty('I');
export const PORTAL_SUSPENDED = empty('s');
export const COPY_DONE = empty('c');

export const authenticationSasl = (mechanisms: readonly string[]): Buffer => {
  const writer = new MessageWriter('R').int32(10);
  for (const mechanism of mechanisms) writer.text(mechanism);
  return writer.byte(0).done();
};

export const authenticationSaslContinue = (message: string): Buffer =>
  new MessageWriter('R').int32(11).bytes(Buffer.from(message)).done();

export const authenticationSaslFinal = (message: string): Buffer =>
  new MessageWriter('R').int32(12).bytes(Buffer.from(message)).done();

export const negotiateProtocolVersion = (newestMinor: number, unknown: readonly string[]): Buffer => {
  const writer = new MessageWriter('v').int32((3 << 16) | newestMinor).int32(unknown.length);
  for (const name of unknown) writer.text(name);
  return writer.done();
};

export const parameterStatus = (name: string, value: string): Buffer =>
  new MessageWriter('S').text(name).text(value).done();

export const backendKeyData = (processId: number, secret: Uint8Array): Buffer =>
  new MessageWriter('K').int32(processId).bytes(secret).done();

export const readyForQuery = (status: TransactionStatus): Buffer => READY[status];

export const commandComplete = (tag: string): Buffer => new MessageWriter('C').text(tag).done();

export function rowDescription(fields: readonly RowField[]): Buffer {
  const writer = new MessageWriter('T', 64 + 48 * fields.length).int16(fields.length);
  for (const { name, oid, size, modifier, format } of fields) {
    writer.text(name).int32(0).int16(0);
    writer.uint32(oid).int16(size).int32(modifier).int16(formatCode(format));
  }
  return writer.done();
}

export function parameterDescription(typeOids: readonly number[]): Buffer {
  const writer = new MessageWriter('t').uint16(typeOids.length);
  for (const oid of typeOids) writer.uint32(oid);
  return writer.done();
}

/**
 * @param direction `in` if the client sends, `out` if the server does
 * @param columns the number of columns, all of which have the same format
 */
export function copyResponse(direction: 'in' | 'out', columns: number, format: ValueFormat = 'text'): Buffer {
  const writer = new MessageWriter(direction === 'in' ? 'G' : 'H').byte(formatCode(format)).int16(columns);
  for (let i = 0; i < columns; i += 1) writer.int16(formatCode(format));
  return writer.done();
}
