import { TesseraError } from '@tessera/common';
import type { QueryParameter, SqlType, ValueFormat } from '@tessera/sql';
import { binaryText } from './binary-text.ts';
import { parameterType, wireType } from './type-oids.ts';

/** A parameter as Parse and Bind messages give it. */
export interface WireParameter {
  /** 0: the client leaves it to the server. */
  readonly oid: number;
  readonly format: ValueFormat;
  /** Null: NULL. */
  readonly bytes: Buffer | null;
}

/**
 * `$n` as statements take it.
 * @param type what `describeStatement` says of it
 * @throws TesseraError CAST_ERROR for bytes that are no value of the type
 */
export function queryParameter(
  n: number,
  { oid, format, bytes }: WireParameter,
  type: SqlType | undefined = parameterType(oid),
): QueryParameter {
  const name = `$${n}`;
  if (bytes === null) return { name, value: null, type };
  if (format === 'text') return { name, value: utf8(bytes, name), type };
  const sent = oid === 0 && type !== undefined ? wireType(type).oid : oid;
  return { name, value: textOfBinary(name, sent, bytes), type };
}

function textOfBinary(name: string, oid: number, bytes: Buffer): string {
  try {
    return binaryText(oid, bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = `incorrect binary data format in parameter ${name}: ${error.message}`;
    throw TesseraError.of('CAST_ERROR', { message });
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function utf8(bytes: Buffer, name: string): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw TesseraError.of('INVALID_ARGUMENT', {
      message: `invalid byte sequence for encoding "UTF8" in parameter ${name}`,
    });
  }
}
