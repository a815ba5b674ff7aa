import { TesseraError } from '@tessera/common';

const FIRST_DEMAND = 32n;
/** So many times as many values a statement gets that had too few. */
const GROWTH = 32n;

interface Demand {
  count: bigint;
  readonly name: string;
  readonly limit: string;
  isLast: boolean;
}

/** The kernel's name for the sequence of this id. */
export const kernelSequence = (id: string): string => `tsr_seq_${id}`;

const EXHAUSTED = /reached (?:maximum|minimum) value of sequence "tsr_seq_(\w+)"/;

/** Whether the kernel had too few values of a sequence. */
export const isExhaustion = (error: unknown): boolean =>
  error instanceof TesseraError && EXHAUSTED.test(error.message);

/** How many values of each sequence a query needs, as far as its attempts have shown. */
export class SequenceDemand {
  readonly #demands = new Map<string, Demand>();

  /** Values to give to the next attempt. */
  of(id: string, sequence: Pick<Demand, 'name' | 'limit'>): bigint {
    const known = this.#demands.get(id) ?? { ...sequence, count: FIRST_DEMAND, isLast: false };
    this.#demands.set(id, known);
    return known.count;
  }

  /** The sequence has no more values than it gave. */
  endsHere(id: string): void {
    const demand = this.#demands.get(id);
    if (demand !== undefined) demand.isLast = true;
  }

  /**
   * Whether an attempt failed because it had too few values, so that another one gets more.
   * @throws TesseraError SEQUENCE_EXHAUSTED when there are no more
   */
  grew(error: TesseraError): boolean {
    const id = EXHAUSTED.exec(error.message)?.[1];
    const demand = id === undefined ? undefined : this.#demands.get(id);
    if (demand === undefined) return false;
    const { name, limit } = demand;
    if (demand.isLast) throw TesseraError.of('SEQUENCE_EXHAUSTED', { name, limit });
    demand.count *= GROWTH;
    return true;
  }
}
