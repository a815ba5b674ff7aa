import { expectedProgress } from '@tessera/common';
import type { QueryProgress } from '../protocol/messages.ts';
import type { PlannedPipeline } from './pipelines.ts';
import type { PlannedWork } from './planned-work.ts';

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
 * the pipelines in a known order, so the number tells which of them have ended; each counts by its estimated work.
 */
export class CallProgress {
  readonly #work: PlannedWork | undefined;
  readonly #startedAtMs: number;
  readonly #now: () => number;
  /** The greatest part of the work that was counted, and when. */
  #counted = { part: 0, atMs: 0 };

  /**
   * @param work undefined if the statement of the call was not planned; all rows of tables then count alike
   * @param startedAtMs when the call began, by `now`
   * @param now milliseconds
   */
  constructor(
    work: PlannedWork | undefined,
    startedAtMs: number,
    now: () => number = () => performance.now(),
  ) {
    this.#work = work;
    this.#startedAtMs = startedAtMs;
    this.#now = now;
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
    return { ...counts, fraction: this.#partOfWork(pipelines, parts), read: partOfScans(pipelines, parts) };
  }

  #partOfWork(pipelines: readonly PlannedPipeline[], parts: readonly number[]): number {
    const total = sum(pipelines.map(({ work, before }) => work + before));
    if (total === 0) return sum(parts) / parts.length;
    const counted =
      sum(pipelines.map(({ work, before }, i) => work * parts[i]! + (parts[i]! > 0 ? before : 0))) / total;
    const nowMs = this.#now();
    if (counted > this.#counted.part) this.#counted = { part: counted, atMs: nowMs };
    const { part, atMs } = this.#counted;
    const uncounted = workNotCounted(pipelines, parts) / total;
    if (uncounted === 0 || part === 0) return Math.min(1, part);
    const expected = (part * (nowMs - atMs)) / Math.max(1, atMs - this.#startedAtMs);
    return Math.min(1, part + expectedProgress(expected, uncounted));
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

/**
 * The work that comes next and cannot be counted: what the kernel does before the next pipeline returns rows. When a statement
 * has begun to read received rows, the kernel counts no others.
 */
function workNotCounted(pipelines: readonly PlannedPipeline[], parts: readonly number[]): number {
  const running = parts.findLastIndex((part) => part > 0);
  const isCounted = !pipelines.slice(0, running + 1).some(({ source }) => source === 'received');
  const later = pipelines.slice(running + 1);
  const hasEnded = running < 0 || parts[running] === 1;
  if (isCounted) return hasEnded ? (later[0]?.before ?? 0) : 0;
  const next = later.findIndex(({ source }) => source === 'received');
  const uncounted =
    sum((next < 0 ? later : later.slice(0, next)).map(({ work, before }) => work + before)) +
    (later[next]?.before ?? 0);
  const { source, work } = pipelines[running]!;
  return source === 'received' ? uncounted : uncounted + work * (1 - parts[running]!);
}

/** The part of the rows of tables, files and received relations that was read. */
function partOfScans(pipelines: readonly PlannedPipeline[], parts: readonly number[]): number {
  const scans = pipelines.map(({ source, rows }) => (source === 'collected' ? 0 : rows));
  const total = sum(scans);
  return total === 0 ? 1 : Math.min(1, sum(scans.map((rows, i) => rows * parts[i]!)) / total);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
