import { SeededRandom } from '@tessera/common';

/** A fault of a node and its time. */
export interface Fault {
  readonly kind: 'kill' | 'pause';
  readonly node: number;
  /** The delay after the node of the previous fault answers again. */
  readonly afterMs: number;
  /** The duration of a pause. */
  readonly forMs: number;
}

const AFTER_MS = [1_500, 4_000] as const;
const PAUSE_MS = [2_000, 8_000] as const;

/** The faults of a seed. Kills and pauses alternate, so that even a few faults include both. */
export function faultPlan(faults: number, nodes: number, seed: number): Fault[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: faults }, (_, n) => ({
    kind: n % 2 === 0 ? 'kill' : 'pause',
    node: random.between(0, nodes - 1),
    afterMs: random.between(...AFTER_MS),
    forMs: random.between(...PAUSE_MS),
  }));
}
