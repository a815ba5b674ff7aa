import type { DeletionVector } from '@tessera/catalog';
import { DeletedRows } from './deleted-rows.ts';

/** A vector with a smaller bitmap is stored in the commit itself. */
const MAX_INLINE_VECTOR_BYTES = 8 * 1024;

/**
 * The catalog's record of deleted rows: `inline` if they are few, else the bytes of an object that the caller
 * stores under `key`.
 */
export function vectorContent(
  deleted: DeletedRows,
): { rows: number; inline: string } | { rows: number; object: Uint8Array } {
  const bytes = deleted.encode();
  return bytes.length < MAX_INLINE_VECTOR_BYTES
    ? { rows: deleted.rows, inline: Buffer.from(bytes).toString('base64') }
    : { rows: deleted.rows, object: bytes };
}

/**
 * @param object the bytes of the object `vector.key`, if the vector is not inline
 * @throws RangeError for bytes that are not a deletion vector with this number of rows
 */
export function deletedRowsOf(vector: DeletionVector, object?: Uint8Array): DeletedRows {
  const bytes = vector.inline === undefined ? object : Buffer.from(vector.inline, 'base64');
  if (bytes === undefined) throw new RangeError('The deletion vector has no bytes');
  return DeletedRows.decode(bytes, vector.rows);
}
