import type { KernelParams, KernelValue } from '../types/kernel-value.ts';

/**
 * SQL on its way to the kernel's library. A long one is the UTF-8 of the text and a NUL byte: V8 takes the memory for a
 * long text from the system, and ends the kernel process if queries have left none.
 */
export type SqlText = string | Uint8Array;

/** A long text that is a value, for the same reason. */
export interface LongText {
  readonly utf8: Uint8Array;
}
export type WireValue = KernelValue | LongText;
export type WireParams = readonly WireValue[] | Readonly<Record<string, WireValue>>;

/** V8 gives an object of 128 KiB or more pages of its own. */
export const LONG_TEXT_LENGTH = 16_384;

export const isLongText = (value: unknown): value is LongText =>
  typeof value === 'object' && value !== null && 'utf8' in value;

const encodeValue = (value: KernelValue): WireValue =>
  isLong(value) ? { utf8: Buffer.from(value, 'utf8') } : value;

const isLong = (value: KernelValue): value is string =>
  typeof value === 'string' && value.length >= LONG_TEXT_LENGTH;

export function encodeParams(params: KernelParams): WireParams {
  if (!Object.values(params).some(isLong)) return params;
  if (Array.isArray(params)) return (params as readonly KernelValue[]).map(encodeValue);
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, encodeValue(value)]));
}

export const decodeValue = (value: WireValue): KernelValue => (isLongText(value) ? decodeText(value) : value);

export const decodeText = (text: string | LongText): string =>
  typeof text === 'string' ? text : bytesOf(text.utf8).toString('utf8');

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

export const encodeSql = (sql: string): SqlText =>
  sql.length < LONG_TEXT_LENGTH ? sql : Buffer.from(`${sql}\0`, 'utf8');

/** `prefix` is ASCII. */
export const prefixedSql = (prefix: string, sql: SqlText): SqlText =>
  typeof sql === 'string' ? prefix + sql : Buffer.concat([Buffer.from(prefix, 'latin1'), sql]);

/** `prefix` is ASCII. */
export const enclosedSql = (prefix: string, sql: SqlText, suffix: string): SqlText =>
  typeof sql === 'string'
    ? prefix + sql + suffix
    : Buffer.concat([Buffer.from(prefix, 'latin1'), sql.subarray(0, -1), Buffer.from(`${suffix}\0`, 'utf8')]);

/** A long text is searched piece by piece; a match may lie across two of them. */
const PIECE_BYTES = { step: 8_192, overlap: 64 };

/** Whether `pattern`, which matches a few ASCII characters, occurs in the SQL. */
export function occursIn(sql: SqlText, pattern: RegExp): boolean {
  if (typeof sql === 'string') return pattern.test(sql);
  const bytes = bytesOf(sql);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES.step) {
    if (pattern.test(bytes.toString('latin1', at, at + PIECE_BYTES.step + PIECE_BYTES.overlap))) return true;
  }
  return false;
}
