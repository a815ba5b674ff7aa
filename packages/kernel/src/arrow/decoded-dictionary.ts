import type { ArrayData } from './array-data.ts';
import { corrupt } from './corrupt-batch.ts';

const EMPTY = new Uint8Array(0);

/**
 * Replaces a dictionary-encoded array by its values. The kernel cannot handle dictionaries: inside a list or
 * struct they raise an internal error, and a column with more rows than a vector corrupts its memory.
 */
export function decodeDictionary(indices: ArrayData, values: ArrayData, column: string): ArrayData {
  const positions = Array.from({ length: indices.length }, (_, row) => position(indices, row));
  const beyond = positions.findIndex((at) => at >= values.length);
  if (beyond >= 0) throw corrupt(column, `row ${beyond}: no dictionary entry ${positions[beyond]}`);
  const validity = decodedValidity(indices, values, positions);
  const { layout } = values;
  const base = { layout, length: indices.length, children: [] };
  if (layout.kind === 'fixed') {
    const data = Buffer.allocUnsafeSlow(indices.length * layout.bytes).fill(0);
    for (const [row, at] of positions.entries()) {
      const from = at * layout.bytes;
      if (at >= 0) data.set(values.buffers[1]!.subarray(from, from + layout.bytes), row * layout.bytes);
    }
    return { ...base, buffers: [validity, data] };
  }
  if (layout.kind === 'bytes' && layout.offsetBytes === 4) {
    if (indices.length === 0) return { ...base, buffers: [EMPTY, EMPTY, EMPTY] };
    const source = new Int32Array(
      values.buffers[1]!.buffer,
      values.buffers[1]!.byteOffset,
      values.length + 1,
    );
    const offsets = Buffer.allocUnsafeSlow((indices.length + 1) * 4).fill(0);
    const parts: Uint8Array[] = [];
    let end = 0;
    for (const [row, at] of positions.entries()) {
      if (at >= 0) {
        parts.push(values.buffers[2]!.subarray(source[at]!, source[at + 1]!));
        end += source[at + 1]! - source[at]!;
        if (end > 0x7fffffff) throw corrupt(column, 'a dictionary-encoded column is over 2 GiB');
      }
      offsets.writeInt32LE(end, (row + 1) * 4);
    }
    const data = Buffer.allocUnsafeSlow(end);
    let to = 0;
    for (const part of parts) {
      data.set(part, to);
      to += part.length;
    }
    return { ...base, buffers: [validity, offsets, data] };
  }
  throw corrupt(column, 'a dictionary of this type is not supported');
}

/** The position of a row's value; -1 for NULL. */
function position(indices: ArrayData, row: number): number {
  const [validity, data] = indices.buffers as [Uint8Array, Uint8Array];
  if (validity.length > 0 && (validity[row >> 3]! & (1 << (row & 7))) === 0) return -1;
  const width = (indices.layout as { bytes: number }).bytes;
  let value = 0;
  for (let i = width - 1; i >= 0; i--) value = value * 256 + data[row * width + i]!;
  return value;
}

function decodedValidity(indices: ArrayData, values: ArrayData, positions: readonly number[]): Uint8Array {
  const ofValues = values.buffers[0]!;
  if (indices.buffers[0]!.length === 0 && ofValues.length === 0) return EMPTY;
  const bits = Buffer.allocUnsafeSlow(Math.ceil(positions.length / 8)).fill(0);
  for (const [row, at] of positions.entries()) {
    const valid = at >= 0 && (ofValues.length === 0 || (ofValues[at >> 3]! & (1 << (at & 7))) !== 0);
    if (valid) bits[row >> 3]! |= 1 << (row & 7);
  }
  return bits;
}
