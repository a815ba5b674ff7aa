import type { Action, SequenceObject, Snapshot } from '@tessera/catalog';
import { fail, newUlid, ownCommitIds, retryDecision, TesseraError } from '@tessera/common';
import type { StorageManager } from '@tessera/storage-manager';

/** Consecutive values of a sequence: `first`, `first + increment` and so on. */
export interface SequenceRange {
  readonly first: bigint;
  readonly count: bigint;
}

/** Values that a statement may use. */
export interface TakenRange extends SequenceRange {
  /** Whether there are fewer values than requested, because the sequence ends with them. */
  readonly isLast: boolean;
  /**
   * Present if the statement continues in the next cycles, as often as it needs: the next value of the sequence, as this statement
   * has set it for the others.
   */
  readonly nextOfOthers?: string;
}

/** The open transaction of a statement, which may have sequences that are visible only to it. */
export interface SequenceTransaction {
  readonly base: Snapshot;
  read(): Snapshot;
  change(name: string, change: { readonly actions: readonly Action[] }): void;
}

/** The number of values that are reserved the first time; it doubles each further time. */
const FIRST_BLOCK = 128n;
const LARGEST_BLOCK = 1n << 20n;
const MAX_TRIES = 50;

interface ReservedValues {
  /** Values that this node has reserved and no statement uses. */
  readonly free: SequenceRange[];
  blockSize: bigint;
  /** The value after the last reserved one, for a sequence that does not cycle. */
  next: bigint | undefined;
  turn: Promise<unknown>;
}

/**
 * The sequence values that this node has reserved. A commit reserves a block at a time, so that no node ever
 * returns a value twice, even after a crash. Values that are still reserved when the node ends are never
 * used.
 */
export class SequenceValues {
  readonly #manager: StorageManager;
  /** Reserved values by generation of the sequence. */
  readonly #reserved = new Map<string, ReservedValues>();

  constructor(manager: StorageManager) {
    this.#manager = manager;
  }

  /**
   * @param sequence as the statement sees it
   * @throws TesseraError SEQUENCE_EXHAUSTED, UNDEFINED_TABLE if it was dropped, METADATA_UNAVAILABLE
   */
  async take(
    sequence: SequenceObject,
    wanted: bigint,
    transaction: SequenceTransaction | undefined,
  ): Promise<TakenRange> {
    const reserved = this.#reservedOf(sequence);
    const work = reserved.turn.then(() => this.#take(reserved, sequence, wanted, transaction));
    reserved.turn = work.catch(() => undefined);
    return work;
  }

  /**
   * The place from which a statement counts through the cycles of a sequence that has fewer values left in this one. Other statements
   * continue `wanted` values later, or where it ends (`endWrapping`).
   */
  async takeWrapping(
    sequence: SequenceObject,
    wanted: bigint,
    transaction: SequenceTransaction | undefined,
  ): Promise<TakenRange> {
    const { free } = this.#reservedOf(sequence);
    let first = 0n;
    let nextOfOthers = '';
    await this.#change(sequence.id, transaction, (now) => {
      const { step, begin, length, inCycle } = cycleOf(now);
      const starts = [...free.slice(1).map((range) => range.first), inCycle(BigInt(now.next))];
      const areNext = free.every((range, i) => inCycle(endOf(range, step)) === starts[i]);
      first = areNext ? (free[0]?.first ?? starts[0]!) : starts.at(-1)!;
      const at = (first - begin) / step + wanted;
      nextOfOthers = String(begin + (at % length) * step);
      return { ...now, next: nextOfOthers };
    });
    free.length = 0;
    return { first, count: wanted, isLast: false, nextOfOthers };
  }

  /** Lets the other statements continue after the last value, unless one has taken values already. Never fails for a dropped sequence. */
  async endWrapping(
    { id, increment }: SequenceObject,
    { nextOfOthers }: TakenRange,
    last: bigint,
    transaction: SequenceTransaction | undefined,
  ): Promise<void> {
    await this.#change(id, transaction, (now) =>
      now.next === nextOfOthers ? { ...now, next: String(last + BigInt(increment)) } : undefined,
    );
  }

  /** Returns values that a statement has not used. */
  giveBack(sequence: SequenceObject, range: SequenceRange): void {
    const { generation, increment } = sequence;
    const reserved = this.#reserved.get(generation);
    if (reserved === undefined || range.count <= 0n) return;
    const step = BigInt(increment);
    const { free } = reserved;
    const at = free.findIndex(({ first }) => (step > 0n ? first > range.first : first < range.first));
    // A sequence that has begun a new cycle first uses the rest of the previous one.
    const place = sequence.cycle ? 0 : at < 0 ? free.length : at;
    free.splice(place, 0, range);
    if (place + 1 < free.length) joinAt(free, place, step);
    if (place > 0) joinAt(free, place - 1, step);
  }

  /** Sets the next value for all nodes. @throws TesseraError UNDEFINED_TABLE, METADATA_UNAVAILABLE */
  async set(
    { id }: SequenceObject,
    value: bigint,
    isCalled: boolean,
    transaction: SequenceTransaction | undefined,
  ): Promise<void> {
    await this.#change(id, transaction, (sequence) => {
      const { min, max, increment, name } = sequence;
      if (value < BigInt(min) || value > BigInt(max)) {
        const message = `setval: value ${value} is out of bounds for sequence "${name}" (${min}..${max})`;
        fail('OUT_OF_RANGE', { message });
      }
      const next = isCalled ? value + BigInt(increment) : value;
      return { ...sequence, next: String(next), generation: newUlid() };
    });
  }

  #reservedOf({ generation }: SequenceObject): ReservedValues {
    const known = this.#reserved.get(generation);
    if (known !== undefined) return known;
    const reserved = { free: [], blockSize: FIRST_BLOCK, next: undefined, turn: Promise.resolve() };
    this.#reserved.set(generation, reserved);
    return reserved;
  }

  async #take(
    reserved: ReservedValues,
    sequence: SequenceObject,
    wanted: bigint,
    transaction: SequenceTransaction | undefined,
  ): Promise<TakenRange> {
    const { free } = reserved;
    const step = BigInt(sequence.increment);
    await this.#keepReserved(reserved, sequence, transaction);
    for (;;) {
      const at = free.findIndex(({ count }) => count >= wanted);
      if (at >= 0) {
        const { first, count } = free[at]!;
        if (count === wanted) free.splice(at, 1);
        else free[at] = { first: first + wanted * step, count: count - wanted };
        return { first, count: wanted, isLast: false };
      }
      const block = await this.#reserve(reserved, sequence, larger(reserved.blockSize, wanted), transaction);
      if (block === undefined) break;
      reserved.blockSize = smaller(reserved.blockSize * 2n, LARGEST_BLOCK);
      free.push(block);
      if (free.length > 1) joinAt(free, free.length - 2, step);
      if (block.count < wanted && free.at(-1)!.count < wanted) break;
    }
    // A cycling sequence continues where it was; for others, the remaining values are used in the longest
    // ranges.
    const rest = sequence.cycle ? free[0] : free.toSorted((a, b) => (a.count < b.count ? 1 : -1))[0];
    if (rest === undefined) {
      const limit = step > 0n ? sequence.max : sequence.min;
      throw TesseraError.of('SEQUENCE_EXHAUSTED', { name: sequence.name, limit });
    }
    free.splice(free.indexOf(rest), 1);
    return { ...rest, isLast: true };
  }

  /** Undefined if no value is left. */
  async #reserve(
    reserved: ReservedValues,
    of: SequenceObject,
    wanted: bigint,
    transaction: SequenceTransaction | undefined,
  ): Promise<SequenceRange | undefined> {
    let block: SequenceRange | undefined;
    await this.#change(of.id, transaction, (sequence) => {
      block = undefined;
      if (sequence.generation !== of.generation) {
        const message = `Sequence "${sequence.name}" was set to another value at the same time`;
        fail('TRANSACTION_CONFLICT', { message });
      }
      const step = BigInt(sequence.increment);
      const [min, max] = [BigInt(sequence.min), BigInt(sequence.max)];
      const next = BigInt(sequence.next);
      const left = (from: bigint) => (step > 0n ? (max - from) / step : (from - min) / -step) + 1n;
      const isOver = next > max || next < min;
      if (isOver && !sequence.cycle) return undefined;
      const first = isOver ? (step > 0n ? min : max) : next;
      const count = smaller(larger(wanted, BigInt(sequence.cache)), left(first));
      block = { first, count };
      return { ...sequence, next: String(first + count * step) };
    });
    if (block !== undefined) reserved.next = endOf(block, BigInt(of.increment));
    return block;
  }

  /**
   * ROLLBACK TO undoes what a transaction reserved of its own sequence. The values were returned
   * nevertheless, and must not be returned again when it is committed.
   */
  async #keepReserved(
    { next }: ReservedValues,
    { id, generation, cycle }: SequenceObject,
    transaction: SequenceTransaction | undefined,
  ): Promise<void> {
    if (transaction === undefined || next === undefined || cycle) return;
    const own = ownSequence(transaction, await this.#manager.latest(), id);
    if (own?.generation !== generation || own.next === String(next)) return;
    const object = { ...own, next: String(next) };
    transaction.change(newUlid(), { actions: [{ kind: 'alter', object }] });
  }

  /**
   * Commits a change of a sequence, and retries if another node was first; inside its transaction if the
   * sequence is visible only there.
   */
  async #change(
    id: SequenceObject['id'],
    transaction: SequenceTransaction | undefined,
    change: (sequence: SequenceObject) => SequenceObject | undefined,
  ): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const snapshot = await this.#manager.latest();
      const own = transaction && ownSequence(transaction, snapshot, id);
      const sequence = own ?? sequenceIn(snapshot, id);
      const object = change(sequence);
      if (object === undefined) return;
      const actions: Action[] = [{ kind: 'alter', object }];
      if (own !== undefined) {
        transaction!.change(newUlid(), { actions });
        return;
      }
      try {
        await this.#manager.commit({ ...ownCommitIds(), readVersion: snapshot.version, actions });
        return;
      } catch (error) {
        if (retryDecision(error, 'commit') === undefined || tries >= MAX_TRIES) throw error;
      }
    }
  }
}

/** A sequence that the transaction created or set to another value. */
function ownSequence(
  transaction: SequenceTransaction,
  latest: Snapshot,
  id: SequenceObject['id'],
): SequenceObject | undefined {
  const own = transaction.read().object(id);
  if (own?.kind !== 'sequence') return undefined;
  const base = transaction.base.object(id);
  const isOwn =
    latest.object(id) === undefined || (base?.kind === 'sequence' && base.generation !== own.generation);
  return isOwn ? own : undefined;
}

function sequenceIn(snapshot: Snapshot, id: SequenceObject['id']): SequenceObject {
  const found = snapshot.object(id);
  if (found?.kind === 'sequence') return found;
  return fail('UNDEFINED_TABLE', { message: 'The sequence was dropped at the same time' });
}

/** The first value of a cycle and the number of its values; `inCycle` begins the next cycle for a value beyond the end. */
function cycleOf({ increment, min, max }: SequenceObject) {
  const step = BigInt(increment);
  const [low, high] = [BigInt(min), BigInt(max)];
  const begin = step > 0n ? low : high;
  const length = (high - low) / (step > 0n ? step : -step) + 1n;
  return { step, begin, length, inCycle: (value: bigint) => (value > high || value < low ? begin : value) };
}

/** The value after the last one. */
const endOf = ({ first, count }: SequenceRange, step: bigint): bigint => first + count * step;

/** Merges two adjacent ranges if the second continues the first. */
function joinAt(free: SequenceRange[], at: number, step: bigint): void {
  const [one, other] = [free[at]!, free[at + 1]!];
  if (endOf(one, step) !== other.first) return;
  free.splice(at, 2, { first: one.first, count: one.count + other.count });
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
