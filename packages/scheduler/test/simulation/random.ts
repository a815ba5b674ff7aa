import { SeededRandom } from '@tessera/common';

export class Random extends SeededRandom {
  shuffled<T>(items: readonly T[]): T[] {
    const left = [...items];
    const order: T[] = [];
    while (left.length > 0) order.push(...left.splice(Math.floor(this.fraction() * left.length), 1));
    return order;
  }
}

/** A 32-bit hash of numbers. */
export function mix(...parts: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const part of parts) {
    hash = Math.imul(hash ^ (part >>> 0), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return hash >>> 0;
}
