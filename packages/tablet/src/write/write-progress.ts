import type { PlannedRows, QueryProgress } from '@tessera/kernel';
import { leavesOf } from '../values/leaves.ts';
import type { WriteOptions } from './write-options.ts';
import { WrittenPages } from './written-pages.ts';

/**
 * The least time to encode and compress a value, in milliseconds. Until rows have been written, whose time is measured, writing
 * a row is also expected to take as long as reading one.
 */
const MS_PER_VALUE = 7e-5;
/** Adding the headers and moving the tablets to their places takes this part of the time before it, more in a slow bucket. */
const FINISHING = 0.15;
/** A rate is measured from this part of the rows on. */
const MEASURABLE = 0.02;
const LEAST_READ = 0.001;

/**
 * The progress of writing tablets. The kernel reports only how much of the query it has computed; it then holds the rows
 * in memory, and encodes and writes them for a time that can be four times as long. The rows that it has written are
 * therefore counted in its file, and the progress is the part of the estimated time that has passed.
 */
export class WriteProgress {
  readonly #leaves: number;
  readonly #now: () => number;
  readonly #startedAt: number;
  /** When all input was seen to be read, and the rows that had been written then. */
  #readEnd: { readonly atMs: number; readonly rows: number } | undefined;
  /** The rows of the files before the present one. */
  #rowsBefore = 0;
  /** The exact number of rows, once the query has filled a temp table. */
  #rowsStaged: number | undefined;
  #fraction = 0;
  #planned: PlannedRows = { scanned: 0, returned: 0 };
  #file: { readonly pages: WrittenPages; readonly rowGroupRows: number } | undefined;

  /** @param now milliseconds */
  constructor({ table }: Pick<WriteOptions, 'table'>, now: () => number = () => performance.now()) {
    this.#leaves = Math.max(1, leavesOf(table));
    this.#now = now;
    this.#startedAt = now();
  }

  /** Records that the query has run: `rows` rows are in a temp table, from which the files are written. */
  staged(rows: number): void {
    this.#rowsStaged = rows;
    this.#endReading();
  }

  writing(path: string, rowGroupRows: number): void {
    this.#file = { pages: new WrittenPages(path), rowGroupRows };
  }

  wrote(rows: number): void {
    this.#file = undefined;
    this.#rowsBefore += rows;
    this.#endReading();
  }

  /** The progress of the whole work, from that of the running call of the kernel. */
  of(call: QueryProgress): QueryProgress {
    // The kernel does not always know how much it has read, but then it has begun to write.
    const isRead = this.#readEnd !== undefined || (call.fraction < 0 && this.#rowsWritten() > 0);
    const read = isRead ? 1 : call.fraction;
    if (read < 0) return call;
    if (read >= 1) this.#endReading();
    this.#planned = call.planned ?? this.#planned;
    this.#fraction = Math.max(this.#fraction, this.#estimate(read));
    return { ...call, fraction: this.#fraction, read: call.read ?? read };
  }

  #estimate(read: number): number {
    // Without an expected number of rows, writing is taken for half of the work.
    if (this.#rows === 0) return read / 2;
    const elapsed = this.#now() - this.#startedAt;
    return elapsed === 0 ? 0 : elapsed / (elapsed + this.#remainingMs(read));
  }

  #remainingMs(read: number): number {
    const total = this.#rows;
    const written = this.#rowsWritten();
    const { atMs, rows } = this.#readEnd ?? { atMs: this.#now(), rows: written };
    const readingMs = (atMs - this.#startedAt) / Math.max(read, LEAST_READ);
    const msPerRow =
      written - rows > MEASURABLE * total
        ? (this.#now() - atMs) / (written - rows)
        : Math.max(this.#leaves * MS_PER_VALUE, readingMs / Math.max(total, this.#planned.scanned));
    // While rows are read and written at the same time, the time for reading contains that for writing.
    const rowsLeft = Math.max(0, total - written / Math.max(read, LEAST_READ));
    const finishingMs = FINISHING * (this.#now() - this.#startedAt);
    return readingMs - (atMs - this.#startedAt) + msPerRow * rowsLeft + finishingMs;
  }

  /** The rows to write; 0 if their number is unknown. */
  get #rows(): number {
    return this.#rowsStaged ?? this.#planned.returned;
  }

  #rowsWritten(): number {
    if (this.#file === undefined) return this.#rowsBefore;
    const { pages, rowGroupRows } = this.#file;
    return this.#rowsBefore + Math.floor(pages.count() / this.#leaves) * rowGroupRows;
  }

  #endReading(): void {
    this.#readEnd ??= { atMs: this.#now(), rows: this.#rowsWritten() };
  }
}
