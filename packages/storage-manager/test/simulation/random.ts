import { SeededRandom } from '@tessera/common';

/** A random generator whose results for consecutive seeds are unrelated. */
export class Random extends SeededRandom {
  constructor(seed: number) {
    super(seed * 0x9e3779b1 + 0x85ebca6b);
  }
}
