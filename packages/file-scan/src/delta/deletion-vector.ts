import { fail } from '@tessera/common';
import type { RowDeletes } from '../file-scan.ts';
import type { DeletionVector } from './log-actions.ts';

/** The length before a stored vector and the checksum after it. */
const FRAME_BYTES = 8;
const UUID_CHARACTERS = 20;

/**
 * The rows that a deletion vector deletes from the data file `of`.
 * @param table the folder of the table, without a slash at the end
 * @throws TesseraError NOT_SUPPORTED, BAD_FILE
 */
export function vectorDeletes(
  { storageType, pathOrInlineDv: text, offset, sizeInBytes, cardinality: rows }: DeletionVector,
  table: string,
  { of, locate }: { readonly of: string; readonly locate: (url: string) => string },
): RowDeletes {
  const inFile = (url: string): RowDeletes => {
    const start = offset ?? 0;
    const bytes = sizeInBytes + FRAME_BYTES;
    return { kind: 'bitmap', file: { url, bytes: start + bytes }, offset: start, bytes, rows };
  };
  switch (storageType) {
    case 'u': {
      const prefix = text.slice(0, -UUID_CHARACTERS);
      const uuid = decodeBase85(text.slice(-UUID_CHARACTERS), of).toString('hex');
      const name = uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
      return inFile(locate(`${table}/${prefix === '' ? '' : `${prefix}/`}deletion_vector_${name}.bin`));
    }
    case 'p':
      return inFile(locate(decodeURIComponent(text)));
    case 'i': {
      const base64 = decodeBase85(text, of).subarray(0, sizeInBytes).toString('base64');
      return { kind: 'inline bitmap', of, base64, rows };
    }
    default:
      return fail('NOT_SUPPORTED', { what: `The kind "${storageType}" of the deletion vector of ${of}` });
  }
}

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';

/** Decodes Z85: five digits are four bytes. @throws TesseraError BAD_FILE */
function decodeBase85(text: string, of: string): Buffer {
  const bytes = Buffer.alloc((text.length / 5) * 4);
  for (let at = 0; at < text.length; at += 5) {
    let value = 0;
    for (const digit of text.slice(at, at + 5)) value = value * 85 + DIGITS.indexOf(digit);
    if (text.length % 5 !== 0 || !(value >= 0 && value < 2 ** 32))
      fail('BAD_FILE', { name: of, reason: 'the name of its deletion vector in the log is not Z85' });
    bytes.writeUInt32BE(value, (at / 5) * 4);
  }
  return bytes;
}
