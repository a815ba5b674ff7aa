import { TesseraError } from '@tessera/common';

const FIRST_DEMAND = 32n;
/** The factor by which the values for a statement grow after it had too few. */
const GROWTH = 32n;

interface Demand {
  count: bigint;
  readonly name: string;
  readonly limit: string;
  /** Whether the sequence begins a new cycle after its last value. */
  readonly cycle: boolean;
  isLast: boolean;
  /** Whether the statement needs more values than are left in the cycle. */
  wraps: boolean;
}

/** The kernel's name of the sequence with this id. */
export const kernelSequence = (id: string): string => `tsr_seq_${id}`;

const EXHAUSTED = /reached (?:maximum|minimum) value of sequence "tsr_seq_(\w+)"/;

/** Whether the kernel had too few values of a sequence. */
export const isExhaustion = (error: unknown): boolean =>
  error instanceof TesseraError && EXHAUSTED.test(error.message);

/** The number of values of each sequence that a query needs, as its attempts have shown. */
export class SequenceDemand {
  readonly #demands = new Map<string, Demand>();

  /** The number of values for the next attempt, and whether they continue in the next cycle. */
  of(id: string, sequence: Pick<Demand, 'name' | 'limit' | 'cycle'>): Pick<Demand, 'count' | 'wraps'> {
    const known = this.#demands.get(id) ?? { ...sequence, count: FIRST_DEMAND, isLast: false, wraps: false };
    this.#demands.set(id, known);
    return known;
  }

  /** Records that the sequence has no more values than it returned. */
  endsHere(id: string): void {
    const demand = this.#demands.get(id);
    if (demand !== undefined) demand.isLast = true;
  }

  /**
   * Whether an attempt failed because it had too few values, so that another one gets more.
   * @throws TesseraError SEQUENCE_EXHAUSTED if there are no more
   */
  grew(error: TesseraError): boolean {
    const id = EXHAUSTED.exec(error.message)?.[1];
    const demand = id === undefined ? undefined : this.#demands.get(id);
    if (demand === undefined) return false;
    const { name, limit, cycle } = demand;
    if (demand.isLast && !cycle) throw TesseraError.of('SEQUENCE_EXHAUSTED', { name, limit });
    demand.wraps ||= demand.isLast;
    demand.count *= GROWTH;
    return true;
  }
}
