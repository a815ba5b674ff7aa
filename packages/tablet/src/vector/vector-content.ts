import type { DeletionVector } from '@tessera/catalog';
import { DeletedRows, type EncodedRows } from './deleted-rows.ts';

/** A vector with a smaller bitmap is stored in the commit itself. */
const MAX_INLINE_VECTOR_BYTES = 8 * 1024;

/**
 * The catalog's record of deleted rows: `inline` if they are few, else the bytes of an object that the caller
 * stores under `key`.
 */
export type VectorContent =
  | { readonly rows: number; readonly inline: string }
  | { readonly rows: number; readonly object: Uint8Array };

export const vectorContent = (deleted: DeletedRows): VectorContent =>
  contentOf({ rows: deleted.rows, bytes: deleted.encode() });

/**
 * The record of the rows of a vector and further ones.
 * @param object the bytes of the object `vector.key`, if the vector is not inline
 * @throws RangeError for bytes that are not a deletion vector with this number of rows
 */
export const extendedVector = (
  vector: DeletionVector,
  object: Uint8Array | undefined,
  added: DeletedRows,
): VectorContent => contentOf(added.addedTo(bytesOf(vector, object), vector.rows));

/**
 * @param object the bytes of the object `vector.key`, if the vector is not inline
 * @throws RangeError for bytes that are not a deletion vector with this number of rows
 */
export const deletedRowsOf = (vector: DeletionVector, object?: Uint8Array): DeletedRows =>
  DeletedRows.decode(bytesOf(vector, object), vector.rows);

const contentOf = ({ rows, bytes }: EncodedRows): VectorContent =>
  bytes.length < MAX_INLINE_VECTOR_BYTES
    ? { rows, inline: Buffer.from(bytes).toString('base64') }
    : { rows, object: bytes };

function bytesOf(vector: DeletionVector, object: Uint8Array | undefined): Uint8Array {
  const bytes = vector.inline === undefined ? object : Buffer.from(vector.inline, 'base64');
  if (bytes === undefined) throw new RangeError('The deletion vector has no bytes');
  return bytes;
}
