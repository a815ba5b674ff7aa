import { TesseraError, textOfUtf8 } from '@tessera/common';
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
 * @param described what `describeStatement` says of it
 * @throws TesseraError CAST_ERROR for bytes that are no value of the type, INVALID_ENCODING
 */
export function queryParameter(
  n: number,
  { oid, format, bytes }: WireParameter,
  described?: SqlType | undefined,
): QueryParameter {
  const name = `$${n}`;
  const type = described ?? parameterType(oid);
  // Clients call NULL a text that know nothing better.
  if (bytes === null)
    return { name, value: null, type: described ?? (type?.kind === 'text' ? undefined : type) };
  const sent = oid === 0 && type !== undefined ? wireType(type).oid : oid;
  const value = format === 'text' ? textOfUtf8(bytes, `parameter ${name}`) : textOfBinary(name, sent, bytes);
  return { name, value, type: described ?? asDeepAs(value, type) };
}

/** The OID of an array does not tell how many dimensions it has. */
function asDeepAs(value: string, type: SqlType | undefined): SqlType | undefined {
  if (type?.kind !== 'array') return type;
  const dimensions = OPENING_BRACES.exec(value)?.[0].replace(/\s/g, '').length ?? 1;
  let deep: SqlType = type;
  for (let i = 1; i < dimensions; i += 1) deep = { kind: 'array', element: deep };
  return deep;
}

const OPENING_BRACES = /^\s*(?:\{\s*){1,6}/;

function textOfBinary(name: string, oid: number, bytes: Buffer): string {
  try {
    return binaryText(oid, bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = `incorrect binary data format in parameter ${name}: ${error.message}`;
    throw TesseraError.of('CAST_ERROR', { message });
  }
}
