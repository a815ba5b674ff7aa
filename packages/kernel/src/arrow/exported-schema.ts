import { Field, Schema } from 'apache-arrow/schema';
import { Dictionary } from 'apache-arrow/type';
import koffi from 'koffi';
import { checkErrorData } from '../native/error-data.ts';
import type { Pointer } from '../native/libc.ts';
import { duckdb, memcpy } from '../native/library.ts';
import { copyOut, cString, NativeBlock } from '../native/memory.ts';
import { NativeError } from '../native/native-error.ts';
import type { KernelColumn } from '../types/kernel-type.ts';
import { NULLABLE, SCHEMA_AT, SCHEMA_BYTES } from './c-structs.ts';
import { typeOfFormat } from './format.ts';
import { carriesExactly, TYPE_METADATA_KEY, typeLabel, withoutArrowForm } from './type-label.ts';

const RELEASE = koffi.proto('void tessera_arrow_schema_release(void *schema)');

/**
 * The Arrow schema of a result with these columns. Types that Arrow cannot represent exactly are named in
 * metadata.
 */
export function exportSchema(
  result: Pointer,
  arrowOptions: Pointer,
  columns: readonly KernelColumn[],
): Schema {
  for (const column of columns) refuseWithoutArrowForm(column);
  const types = new NativeBlock(Math.max(1, columns.length) * 8);
  for (let i = 0; i < columns.length; i++) types.setPointer(i * 8, duckdb.columnType(result, i));
  const out = new NativeBlock(SCHEMA_BYTES);
  try {
    const names = columns.map((c) => c.name);
    checkErrorData(duckdb.toArrowSchema(arrowOptions, types.address, names, columns.length, out.address));
  } finally {
    for (let i = 0; i < columns.length; i++) duckdb.destroyType(types.at(i * 8));
  }
  const nextDictionary = { id: 0 };
  const children = readChildren(out.bytes, nextDictionary);
  const release = out.pointerAt(SCHEMA_AT.release);
  if (release !== 0n) koffi.call(release, RELEASE, out.address);
  const fields = children.map((field, i) => labelled(field, columns[i]!));
  return new Schema(fields);
}

function refuseWithoutArrowForm({ name, type }: KernelColumn): void {
  const found = withoutArrowForm(type);
  if (found === undefined) return;
  throw new NativeError(
    JSON.stringify({
      exception_type: 'Invalid Input',
      exception_message: `Column "${name}": the type ${found} cannot be returned, cast it to VARCHAR`,
    }),
  );
}

function labelled(field: Field, column: KernelColumn): Field {
  if (carriesExactly(column.type)) return field;
  const metadata = new Map(field.metadata).set(TYPE_METADATA_KEY, typeLabel(column.type));
  return new Field(field.name, field.type, field.nullable, metadata);
}

function readField(address: Pointer, nextDictionary: { id: number }): Field {
  const bytes = copyOut(address, SCHEMA_BYTES);
  const type = typeOfFormat(
    cString(bytes.readBigUInt64LE(SCHEMA_AT.format)),
    readChildren(bytes, nextDictionary),
  );
  const dictionary = bytes.readBigUInt64LE(SCHEMA_AT.dictionary);
  const fieldType =
    dictionary === 0n
      ? type
      : new Dictionary(readField(dictionary, nextDictionary).type, type as never, nextDictionary.id++, false);
  return new Field(
    cString(bytes.readBigUInt64LE(SCHEMA_AT.name)),
    fieldType,
    (bytes.readBigInt64LE(SCHEMA_AT.flags) & NULLABLE) !== 0n,
    readMetadata(bytes.readBigUInt64LE(SCHEMA_AT.metadata)),
  );
}

function readChildren(schema: Buffer, nextDictionary: { id: number }): Field[] {
  const count = Number(schema.readBigInt64LE(SCHEMA_AT.childCount));
  const pointers = copyOut(schema.readBigUInt64LE(SCHEMA_AT.children), count * 8);
  return Array.from({ length: count }, (_, i) => readField(pointers.readBigUInt64LE(i * 8), nextDictionary));
}

/** Reads the number of pairs (i32), then for each pair: i32 length, key, i32 length, value. */
function readMetadata(address: Pointer): Map<string, string> {
  const metadata = new Map<string, string>();
  if (address === 0n) return metadata;
  let at = address;
  const int = Buffer.allocUnsafeSlow(4);
  const readInt = () => {
    memcpy(int, at, 4);
    at += 4n;
    return int.readInt32LE(0);
  };
  const readText = () => {
    const length = readInt();
    const text = copyOut(at, length).toString('utf8');
    at += BigInt(length);
    return text;
  };
  for (let pairs = readInt(); pairs > 0; pairs--) metadata.set(readText(), readText());
  return metadata;
}
