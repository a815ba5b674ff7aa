import type { TextColumn } from '../parquet/column.ts';
import { RandomStream } from './random-stream.ts';
import { numbers, type RowRange } from './row-maker.ts';

const WHO = Buffer.from('Customer ');
const COMPLAINT = Buffer.from('Complaints');
const PRAISE = Buffer.from('Recommends');
const REMARK_LENGTH = WHO.length + COMPLAINT.length;
/** The number of suppliers with a remark, per ten thousand. */
const REMARKS_PER_10_000 = 10;

/**
 * Writes remarks of customers into the comments of a few suppliers: each kind for five in ten thousand (clause
 * 4.2.3).
 */
export function withRemarks(comments: TextColumn, range: RowRange): TextColumn {
  const { bytes } = comments;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const chosen = numbers(range, 202_794_285, 1, 10_000);
  const kinds = numbers(range, 753_643_799, 0, 100);
  const gaps = new RandomStream(263_032_577, 1, range.first);
  const offsets = new RandomStream(715_851_524, 1, range.first);
  let start = 0;
  for (let row = 0; row < comments.rows; row++) {
    const length = view.getUint32(start, true);
    const gap = gaps.integer(0, length - REMARK_LENGTH);
    const offset = offsets.integer(0, length - REMARK_LENGTH - gap);
    const text = start + 4;
    if (chosen[row]! <= REMARKS_PER_10_000) {
      bytes.set(WHO, text + offset);
      bytes.set(kinds[row]! < 50 ? COMPLAINT : PRAISE, text + offset + WHO.length + gap);
    }
    start = text + length;
  }
  return comments;
}
