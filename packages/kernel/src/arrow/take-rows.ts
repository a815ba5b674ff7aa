import type { ArrayData } from './array-data.ts';

/** Provides memory for the copied rows, of at least the requested number of bytes. */
export type Allocate = (bytes: number) => Uint8Array;

const EMPTY = new Uint8Array(0);
/**
 * Texts are copied in words of this size. A copy may write past the end of its text, because the next text is
 * written later.
 */
const WORD_BYTES = 8;

/**
 * Copies the rows of an array at the given positions, in their order. The array is trusted: its buffers are as long as its
 * layout and length require.
 */
export function takeRows(array: ArrayData, rows: Uint32Array, allocate: Allocate): ArrayData {
  const { layout, buffers, children } = array;
  const taken = (own: readonly Uint8Array[], kids: readonly ArrayData[] = []): ArrayData => ({
    layout,
    length: rows.length,
    buffers: own,
    children: kids,
  });
  const validity = () => (buffers[0]!.length === 0 ? EMPTY : takeBits(buffers[0]!, rows, allocate));
  switch (layout.kind) {
    case 'null':
      return taken([]);
    case 'bits':
      return taken([validity(), takeBits(buffers[1]!, rows, allocate)]);
    case 'fixed':
      return taken([validity(), takeFixed(buffers[1]!, layout.bytes, rows, allocate)]);
    case 'bytes': {
      const from = startsOf(array);
      const { starts, total } = takenStarts(from, rows, allocate);
      const data = takeBytes(buffers[2]!, from, starts, rows, total, allocate);
      return taken([validity(), takenOffsets(starts, layout.offsetBytes), data]);
    }
    case 'list': {
      const from = startsOf(array);
      const { starts, total } = takenStarts(from, rows, allocate);
      const items = new Uint32Array(total);
      for (let i = 0, to = 0; i < rows.length; i++) {
        const end = from[rows[i]! + 1]!;
        for (let at = from[rows[i]!]!; at < end; at++) items[to++] = at;
      }
      return taken(
        [validity(), takenOffsets(starts, layout.offsetBytes)],
        [takeRows(children[0]!, items, allocate)],
      );
    }
    case 'fixedList': {
      const { size } = layout;
      const items = new Uint32Array(rows.length * size);
      for (let i = 0; i < items.length; i++) items[i] = rows[Math.floor(i / size)]! * size + (i % size);
      return taken([validity()], [takeRows(children[0]!, items, allocate)]);
    }
    case 'struct':
      return taken(
        [validity()],
        children.map((child) => takeRows(child, rows, allocate)),
      );
    case 'union':
      return taken(
        [takeFixed(buffers[0]!, 1, rows, allocate)],
        children.map((child) => takeRows(child, rows, allocate)),
      );
  }
}

/** The start of each row in the data or the child of an array, and the end of the last row. */
export function startsOf({ layout, length, buffers }: ArrayData): Int32Array | Float64Array {
  const offsets = buffers[1]!;
  if (offsets.length === 0) return new Int32Array(length + 1);
  return (layout as { offsetBytes: number }).offsetBytes === 4
    ? new Int32Array(offsets.buffer, offsets.byteOffset, length + 1)
    : Float64Array.from(new BigInt64Array(offsets.buffer, offsets.byteOffset, length + 1), Number);
}

/** @param starts integers, ascending */
export function offsetBytes(starts: Int32Array | Float64Array, width: 4 | 8): Uint8Array {
  const wide = width === 4 ? new Int32Array(starts) : BigInt64Array.from(starts, BigInt);
  return new Uint8Array(wide.buffer);
}

function takenStarts(
  from: Int32Array | Float64Array,
  rows: Uint32Array,
  allocate: Allocate,
): { starts: Int32Array | Float64Array; total: number } {
  const starts =
    from instanceof Int32Array
      ? viewOf(Int32Array, allocate(4 * (rows.length + 1)), rows.length + 1)
      : new Float64Array(rows.length + 1);
  starts[0] = 0;
  let total = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    total += from[row + 1]! - from[row]!;
    starts[i + 1] = total;
  }
  return { starts, total };
}

const takenOffsets = (starts: Int32Array | Float64Array, width: 4 | 8): Uint8Array =>
  starts instanceof Int32Array && width === 4
    ? new Uint8Array(starts.buffer, starts.byteOffset, starts.byteLength)
    : offsetBytes(starts, width);

function takeBits(bits: Uint8Array, rows: Uint32Array, allocate: Allocate): Uint8Array {
  const bytes = (rows.length + 7) >> 3;
  const taken = allocate(bytes).fill(0, 0, bytes);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    taken[i >> 3]! |= ((bits[row >> 3]! >> (row & 7)) & 1) << (i & 7);
  }
  return taken.subarray(0, bytes);
}

function takeFixed(data: Uint8Array, width: number, rows: Uint32Array, allocate: Allocate): Uint8Array {
  const bytes = rows.length * width;
  const taken = allocate(bytes);
  if (width % 4 === 0)
    copyWords(
      viewOf(Int32Array, data, data.length / 4),
      rows,
      width / 4,
      viewOf(Int32Array, taken, bytes / 4),
    );
  else if (width === 2)
    copyShorts(viewOf(Uint16Array, data, data.length / 2), rows, viewOf(Uint16Array, taken, rows.length));
  else copyBytes(data, rows, width, taken);
  return taken.subarray(0, bytes);
}

type ViewClass<T> = new (buffer: ArrayBuffer, byteOffset: number, length: number) => T;

const viewOf = <T>(view: ViewClass<T>, { buffer, byteOffset }: Uint8Array, length: number): T =>
  new view(buffer as ArrayBuffer, byteOffset, Math.floor(length));

// There is a function for each type of array: where a loop sees several types, V8 looks at the type in each access.

function copyWords(from: Int32Array, rows: Uint32Array, words: number, to: Int32Array): void {
  if (words === 1) for (let i = 0; i < rows.length; i++) to[i] = from[rows[i]!]!;
  else if (words === 2) {
    for (let i = 0; i < rows.length; i++) {
      const at = rows[i]! * 2;
      to[i * 2] = from[at]!;
      to[i * 2 + 1] = from[at + 1]!;
    }
  } else {
    for (let i = 0, out = 0; i < rows.length; i++) {
      const at = rows[i]! * words;
      for (let word = 0; word < words; word++) to[out++] = from[at + word]!;
    }
  }
}

function copyShorts(from: Uint16Array, rows: Uint32Array, to: Uint16Array): void {
  for (let i = 0; i < rows.length; i++) to[i] = from[rows[i]!]!;
}

function copyBytes(from: Uint8Array, rows: Uint32Array, width: number, to: Uint8Array): void {
  for (let i = 0, out = 0; i < rows.length; i++) {
    const at = rows[i]! * width;
    for (let byte = 0; byte < width; byte++) to[out++] = from[at + byte]!;
  }
}

function takeBytes(
  data: Uint8Array,
  from: Int32Array | Float64Array,
  starts: Int32Array | Float64Array,
  rows: Uint32Array,
  total: number,
  allocate: Allocate,
): Uint8Array {
  const taken = allocate(total + WORD_BYTES);
  const source = new DataView(data.buffer, data.byteOffset, data.length);
  const target = new DataView(taken.buffer, taken.byteOffset, total + WORD_BYTES);
  const lastWord = data.length - WORD_BYTES;
  for (let i = 0; i < rows.length; i++) {
    let at = from[rows[i]!]!;
    const end = from[rows[i]! + 1]!;
    let to = starts[i]!;
    for (; at < end && at <= lastWord; at += WORD_BYTES, to += WORD_BYTES) {
      target.setInt32(to, source.getInt32(at, true), true);
      target.setInt32(to + 4, source.getInt32(at + 4, true), true);
    }
    for (; at < end; at++, to++) taken[to] = data[at]!;
  }
  return taken.subarray(0, total);
}
