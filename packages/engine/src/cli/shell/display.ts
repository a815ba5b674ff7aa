import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Streams } from '../query/streams.ts';
import type { Paint } from './box.ts';
import { showInPager } from './pager.ts';
import { ProgressLine } from './progress-line.ts';
import type { ResultColumn, Row } from './result-messages.ts';
import { frame, isForPrograms, resultLines, rowsText, type ShellFormat } from './result-text.ts';
import type { ResultSink, StatementEnd } from './shell-session.ts';

/** What the user can change about how results are shown. */
export interface DisplayOptions {
  format: ShellFormat;
  /** Overrides `format` with `vertical`, as \x does. */
  expanded: boolean;
  timing: boolean;
  /** Results in formats for people are truncated after this many rows. */
  maxRows: number;
}

/** The width in columns where it is unknown: of pipes, and of pseudo-terminals without a size, which report 0. */
const DEFAULT_WIDTH = 120;
const PLAIN: Paint = { dim: (text) => text, bold: (text) => text };

type Terminal = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

/** Shows results on the terminal, in the pager or in a file. */
export class Display {
  readonly options: DisplayOptions;
  readonly progress: ProgressLine;
  /** Gives the terminal to a program while `work` runs it. */
  lend: <T>(work: () => Promise<T>) => Promise<T> = (work) => work();
  readonly #stdout: Terminal;
  readonly #stderr: Streams['stderr'];
  /** Whether results that are longer than the screen go through the pager. */
  readonly #pages: boolean;
  readonly #noticed = new Set<string>();
  #file: Writable | undefined;

  constructor(io: Streams, options: DisplayOptions, pages: boolean) {
    this.options = options;
    this.#stdout = io.stdout;
    this.#stderr = io.stderr;
    this.#pages = pages;
    this.progress = new ProgressLine(io.stderr);
  }

  /** Sends results to a file from now on; undefined means back to the terminal. */
  async sendTo(path: string | undefined): Promise<void> {
    this.#file?.end();
    this.#file = undefined;
    if (path === undefined) return;
    const file = createWriteStream(path);
    await once(file, 'open');
    this.#file = file;
  }

  /** A line for the user, who sees it even while results go to a file. */
  say(text: string): void {
    this.#stdout.write(`${text}\n`);
  }

  complain(text: string): void {
    this.progress.clear();
    this.#stderr.write(`${text}\n`);
  }

  /** A sink for one result, and what is to be done when the statement has ended. */
  result(): { readonly sink: ResultSink; finish(end: StatementEnd): Promise<void> } {
    const startedAt = performance.now();
    const { maxRows } = this.options;
    const format = this.options.expanded ? 'vertical' : this.options.format;
    const shown: Row[] = [];
    let columns: readonly ResultColumn[] | undefined;
    let count = 0;
    let isCut = false;
    const sink: ResultSink = {
      starting: () => this.progress.note('the engine is starting'),
      uploading: (totalBytes) => this.progress.uploading(totalBytes),
      progress: (progress) => this.progress.show(progress),
      columns: async (described) => {
        this.progress.clear();
        columns = described;
        if (isForPrograms(format)) await this.#write(frame(format, described).head);
      },
      rows: async (rows) => {
        if (isForPrograms(format)) {
          await this.#write(rowsText(format, columns!, rows, count === 0));
          count += rows.length;
          return true;
        }
        const room = maxRows - shown.length;
        shown.push(...rows.slice(0, room));
        isCut = rows.length > room;
        return !isCut;
      },
    };
    const finish = async (end: StatementEnd) => {
      this.progress.clear();
      this.#warn(end);
      const time = this.options.timing
        ? `${((performance.now() - startedAt) / 1000).toFixed(3)} s${end.isReused ? ', from the result cache' : ''}`
        : undefined;
      if (columns === undefined) return this.#done(end, time);
      if (isForPrograms(format)) {
        await this.#write(frame(format, columns).tail);
        if (this.#file !== undefined && this.#stdout.isTTY === true)
          this.say(`(${count} ${count === 1 ? 'row' : 'rows'} written)`);
        return;
      }
      const width =
        this.#file === undefined ? this.#stdout.columns || DEFAULT_WIDTH : Number.POSITIVE_INFINITY;
      const paint = this.#file === undefined ? this.#paint : PLAIN;
      const lines = resultLines(format, columns, shown, { width, paint });
      const rows = `${shown.length} ${shown.length === 1 ? 'row' : 'rows'}`;
      const counted = isCut ? `first ${rows}; \\rows N shows more` : rows;
      lines.push(`(${[counted, ...(time === undefined ? [] : [time])].join(', ')})`);
      await this.#show(`${lines.join('\n')}\n`, lines.length);
    };
    return { sink, finish };
  }

  /** Shows warnings, and each notice once: the one about a file would come with every query of it. */
  #warn({ warnings }: StatementEnd): void {
    for (const { severity, description } of warnings) {
      if (severity === 'NOTICE' && this.#noticed.has(description)) continue;
      this.#noticed.add(description);
      this.complain(`${severity.toLowerCase()}: ${description}`);
    }
  }

  #done({ affectedRows }: StatementEnd, time: string | undefined): void {
    const rows =
      affectedRows === undefined ? 'ok' : `${affectedRows} ${affectedRows === 1 ? 'row' : 'rows'} affected`;
    if (this.#stdout.isTTY === true)
      this.say(`(${[rows, ...(time === undefined ? [] : [time])].join(', ')})`);
  }

  async #show(text: string, lines: number): Promise<void> {
    const isLong = lines >= (this.#stdout.rows || Number.POSITIVE_INFINITY);
    if (this.#pages && this.#file === undefined && isLong && (await this.lend(() => showInPager(text))))
      return;
    await this.#write(text);
  }

  async #write(text: string): Promise<void> {
    const output = this.#file ?? this.#stdout;
    if (text !== '' && !output.write(text)) await once(output, 'drain');
  }

  get #paint(): Paint {
    if (this.#stdout.isTTY !== true || process.env.NO_COLOR) return PLAIN;
    return { dim: (text) => styleText('dim', text), bold: (text) => styleText('bold', text) };
  }
}
