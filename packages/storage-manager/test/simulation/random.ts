import { SeededRandom } from '@tessera/common';

/** Seeds that follow one another give numbers that have nothing in common. */
export class Random extends SeededRandom {
  constructor(seed: number) {
    super(seed * 0x9e3779b1 + 0x85ebca6b);
  }
}
