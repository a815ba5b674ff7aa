import { BytesBuilder } from '../columns/bytes-builder.ts';
import { type ColumnData, DecodeError } from '../columns/column-batch.ts';
import type { MemoryBudget } from '../columns/memory-budget.ts';
import { isSet } from './bits.ts';
import type { BodyBuffer } from './body.ts';

const VIEW_BYTES = 16;
const INLINE_BYTES = 12;

/**
 * Reads text or binary values in Arrow's "view" layout. Each view has 16 bytes, with the length and either
 * the value (up to 12 bytes) or a buffer and an offset into it. Values that writers stored consecutively are
 * read together.
 */
export function viewColumn(
  kind: 'text' | 'binary',
  views: BodyBuffer,
  buffers: readonly BodyBuffer[],
  from: number,
  to: number,
  validity: Uint8Array | undefined,
  budget: MemoryBudget,
): ColumnData {
  const bytes = views.read(from * VIEW_BYTES, to * VIEW_BYTES);
  const view = new DataView(bytes.buffer);
  const ranges = referencedRanges(view, validity, buffers);
  const builder = new BytesBuilder(kind, budget);
  for (let i = 0; i < to - from; i++) {
    const at = i * VIEW_BYTES;
    const length = view.getInt32(at, true);
    if (!isSet(validity, i)) builder.appendNull();
    else if (length <= INLINE_BYTES) builder.append(bytes, at + 4, length);
    else {
      const range = ranges.get(view.getInt32(at + 8, true))!;
      builder.append(range.bytes(), view.getInt32(at + 12, true) - range.start, length);
    }
  }
  return builder.finish();
}

interface Range {
  start: number;
  end: number;
  bytes(): Uint8Array;
}

function referencedRanges(
  view: DataView,
  validity: Uint8Array | undefined,
  buffers: readonly BodyBuffer[],
): Map<number, Range> {
  const ranges = new Map<number, Range>();
  for (let i = 0; i < view.byteLength / VIEW_BYTES; i++) {
    const length = view.getInt32(i * VIEW_BYTES, true);
    if (!isSet(validity, i)) continue;
    if (length < 0) throw new DecodeError('the length of a value is negative');
    if (length <= INLINE_BYTES) continue;
    const index = view.getInt32(i * VIEW_BYTES + 8, true);
    const start = view.getInt32(i * VIEW_BYTES + 12, true);
    const buffer = buffers[index];
    if (buffer === undefined || start < 0 || start + length > buffer.length) {
      throw new DecodeError('a value lies outside of the buffers of its column');
    }
    const range = ranges.get(index);
    if (range === undefined) {
      let read: Uint8Array | undefined;
      const made: Range = {
        start,
        end: start + length,
        bytes: () => {
          read ??= buffer.read(made.start, made.end);
          return read;
        },
      };
      ranges.set(index, made);
    } else {
      range.start = Math.min(range.start, start);
      range.end = Math.max(range.end, start + length);
    }
  }
  return ranges;
}
