import { expectedProgress } from '@tessera/common';
import type { QueryProgress } from '../protocol/messages.ts';
import type { PlannedPipeline } from './pipelines.ts';
import type { PlannedWork } from './planned-work.ts';

/** The part of its work that a call is assumed to have done at the estimated speed before it was measured. */
const ASSUMED_PART = 0.05;
/** The CPU time, in milliseconds, of what a call does outside its pipelines. */
const FIXED_MS = 50;

/** The counted rows tell the progress of a call if they stand for at least this part of its work. */
const LEAST_COUNTED = 0.5;

/** The counters of a running call. */
export interface CountedRows {
  /** The kernel's own progress, 0 to 1; -1 if it does not know it. */
  readonly fraction: number;
  readonly rowsProcessed: number;
  readonly rowsTotal: number;
  /** The rows of received relations that the call has read, which the kernel does not count, and all their rows. */
  readonly receivedRows: number;
  readonly receivedTotal: number;
}

/**
 * The progress of one call. The kernel counts the rows that the sources of all pipelines have returned, in one number. It runs
 * the pipelines in a known order, so the number tells which of them have ended; each counts by its estimated work. The kernel
 * counts nothing while it completes a hash table, and no more once it reads a source without a counter, such as a common table
 * expression: the call is then expected to go on at its pace.
 */
export class CallProgress {
  readonly #work: PlannedWork | undefined;
  readonly #spentMs: () => number;
  /** The greatest part of the work that was counted, and the CPU time until then. */
  #counted = { part: 0, atMs: 0 };

  /**
   * @param work undefined if the statement of the call was not planned; all rows of tables then count alike
   * @param spentMs the CPU time of the call so far in milliseconds
   */
  constructor(work: PlannedWork | undefined, spentMs: () => number) {
    this.#work = work;
    this.#spentMs = spentMs;
  }

  of({ fraction, rowsProcessed, rowsTotal, receivedRows, receivedTotal }: CountedRows): QueryProgress {
    const counts = { rowsProcessed, rowsTotal, planned: this.#work?.rows };
    if (fraction < 0 && rowsProcessed === 0 && receivedRows === 0) return { ...counts, fraction: -1 };
    if (this.#work === undefined) {
      // The rows of tables in the same statement are unknown.
      if (receivedTotal > 0 || rowsTotal === 0) return { ...counts, fraction: -1 };
      return { ...counts, fraction: Math.min(1, rowsProcessed / rowsTotal) };
    }
    const { pipelines } = this.#work;
    const parts = partsDone(pipelines, rowsProcessed, receivedRows);
    return {
      ...counts,
      fraction: this.#partOfWork(pipelines, parts),
      read: partOfScans(pipelines, parts),
      ...(isMostlyCounted(pipelines, parts) ? {} : { isGuess: true }),
    };
  }

  #partOfWork(pipelines: readonly PlannedPipeline[], parts: readonly number[]): number {
    const total = sum(pipelines.map(({ work, before }) => work + before));
    if (total === 0) return sum(parts) / parts.length;
    const counted =
      sum(pipelines.map(({ work, before }, i) => work * parts[i]! + (parts[i]! > 0 ? before : 0))) / total;
    const spentMs = this.#spentMs();
    if (counted > this.#counted.part) this.#counted = { part: counted, atMs: spentMs };
    const { part, atMs } = this.#counted;
    const perMs = (part + ASSUMED_PART) / (atMs + ASSUMED_PART * (total / 1000 + FIXED_MS));
    return Math.min(1, part + expectedProgress(perMs * (spentMs - atMs), 1 - part));
  }
}

/** The part of each pipeline that is done, 0 to 1. A pipeline begins when those before it have ended. */
function partsDone(
  pipelines: readonly PlannedPipeline[],
  counted: number,
  received: number,
): readonly number[] {
  const left = { counted, received };
  const parts = pipelines.map(({ source, rows }) => {
    const counter = source === 'received' ? 'received' : 'counted';
    const taken = Math.min(left[counter], rows);
    left[counter] -= taken;
    return taken / rows;
  });
  const last = parts.findLastIndex((part) => part > 0);
  return parts.map((part, i) => (i < last ? 1 : part));
}

/** Whether rows have been counted and will be for most of the work: tables are not counted once received rows have been read. */
function isMostlyCounted(pipelines: readonly PlannedPipeline[], parts: readonly number[]): boolean {
  const received = pipelines.findIndex(({ source }) => source === 'received');
  const counted = pipelines.filter(({ source }, i) => received < 0 || i < received || source === 'received');
  const workOf = (some: readonly PlannedPipeline[]) => sum(some.map(({ work, before }) => work + before));
  return parts.some((part) => part > 0) && workOf(counted) >= LEAST_COUNTED * workOf(pipelines);
}

/** The part of the rows of tables, files and received relations that was read. */
function partOfScans(pipelines: readonly PlannedPipeline[], parts: readonly number[]): number {
  const scans = pipelines.map(({ source, rows }) => (source === 'collected' ? 0 : rows));
  const total = sum(scans);
  return total === 0 ? 1 : Math.min(1, sum(scans.map((rows, i) => rows * parts[i]!)) / total);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
