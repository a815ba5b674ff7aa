/**
 * The positions of values in ascending order of the values; equal values keep their order.
 * @returns undefined if the values are already sorted
 */
export function sortedOrder(values: Uint16Array): Uint32Array | undefined {
  if (isSorted(values)) return undefined;
  let max = 0;
  for (let i = 0; i < values.length; i++) if (values[i]! > max) max = values[i]!;
  const next = new Uint32Array(max + 2);
  for (let i = 0; i < values.length; i++) next[values[i]! + 1]!++;
  for (let value = 1; value < next.length; value++) next[value]! += next[value - 1]!;
  const order = new Uint32Array(values.length);
  for (let i = 0; i < values.length; i++) order[next[values[i]!]!++] = i;
  return order;
}

function isSorted(values: Uint16Array): boolean {
  for (let i = 1; i < values.length; i++) if (values[i]! < values[i - 1]!) return false;
  return true;
}
