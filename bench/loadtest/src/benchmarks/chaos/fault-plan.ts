import { SeededRandom } from '@tessera/common';

/** What is done to a node, and when. */
export interface Fault {
  readonly kind: 'kill' | 'pause';
  readonly node: number;
  /** After the node of the fault before answers again. */
  readonly afterMs: number;
  /** Of a pause. */
  readonly forMs: number;
}

const AFTER_MS = [1_500, 4_000] as const;
const PAUSE_MS = [2_000, 8_000] as const;

/** The same from the same seed. Kills and pauses take turns, so that few faults have both. */
export function faultPlan(faults: number, nodes: number, seed: number): Fault[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: faults }, (_, n) => ({
    kind: n % 2 === 0 ? 'kill' : 'pause',
    node: random.between(0, nodes - 1),
    afterMs: random.between(...AFTER_MS),
    forMs: random.between(...PAUSE_MS),
  }));
}
