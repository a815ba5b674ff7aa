import { TesseraError, textOfUtf8 } from '@tessera/common';
import type { QueryParameter, SqlType, ValueFormat } from '@tessera/sql';
import { binaryText } from './binary-text.ts';
import { parameterType, wireType } from './type-oids.ts';

/** A parameter as given by Parse and Bind messages. */
export interface WireParameter {
  /** The OID of the type; 0 lets the server infer it. */
  readonly oid: number;
  readonly format: ValueFormat;
  /** null represents NULL. */
  readonly bytes: Buffer | null;
}

/**
 * Converts `$n` to the form that statements take.
 * @param described the parameter's description by `describeStatement`
 * @throws TesseraError CAST_ERROR for bytes that are not a value of the type, INVALID_ENCODING
 */
export function queryParameter(
  n: number,
  { oid, format, bytes }: WireParameter,
  described?: SqlType | undefined,
): QueryParameter {
  const name = `$${n}`;
  const type = described ?? parameterType(oid);
  // Clients that do not know the type of a NULL declare it as text.
  if (bytes === null)
    return { name, value: null, type: described ?? (type?.kind === 'text' ? undefined : type) };
  const sent = oid === 0 && type !== undefined ? wireType(type).oid : oid;
  const value = format === 'text' ? textOfUtf8(bytes, `parameter ${name}`) : textOfBinary(name, sent, bytes);
  return { name, value, type: described ?? asDeepAs(value, type) };
}

/** Adds array dimensions, because the OID of an array does not tell their number. */
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
