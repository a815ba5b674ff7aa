import type { ArrayData } from './array-data.ts';
import { offsetBytes, startsOf } from './take-rows.ts';

const EMPTY = new Uint8Array(0);

/**
 * The rows `from` to `to` (exclusive) of an array, sharing its buffers where possible. The array is trusted.
 */
export function cutRows(array: ArrayData, from: number, to: number): ArrayData {
  const { layout, buffers, children } = array;
  const cut = (own: readonly Uint8Array[], kids: readonly ArrayData[] = []): ArrayData => ({
    layout,
    length: to - from,
    buffers: own,
    children: kids,
  });
  const validity = () => (buffers[0]!.length === 0 ? EMPTY : cutBits(buffers[0]!, from, to));
  switch (layout.kind) {
    case 'null':
      return cut([]);
    case 'bits':
      return cut([validity(), cutBits(buffers[1]!, from, to)]);
    case 'fixed':
      return cut([validity(), buffers[1]!.subarray(from * layout.bytes, to * layout.bytes)]);
    case 'bytes':
    case 'list': {
      const starts = startsOf(array).slice(from, to + 1);
      const first = starts[0]!;
      const end = starts[to - from]!;
      for (let i = 0; i < starts.length; i++) starts[i]! -= first;
      const offsets = offsetBytes(starts, layout.offsetBytes);
      return layout.kind === 'bytes'
        ? cut([validity(), offsets, buffers[2]!.subarray(first, end)])
        : cut([validity(), offsets], [cutRows(children[0]!, first, end)]);
    }
    case 'fixedList':
      return cut([validity()], [cutRows(children[0]!, from * layout.size, to * layout.size)]);
    case 'struct':
      return cut(
        [validity()],
        children.map((child) => cutRows(child, from, to)),
      );
    case 'union':
      return cut(
        [buffers[0]!.subarray(from, to)],
        children.map((child) => cutRows(child, from, to)),
      );
  }
}

function cutBits(bits: Uint8Array, from: number, to: number): Uint8Array {
  const first = from >> 3;
  const shift = from & 7;
  const bytes = (to - from + 7) >> 3;
  if (shift === 0) return bits.subarray(first, first + bytes);
  const cut = new Uint8Array(bytes);
  for (let i = 0; i < bytes; i++) {
    cut[i] = (bits[first + i]! >> shift) | ((bits[first + i + 1] ?? 0) << (8 - shift));
  }
  return cut;
}
