import { createInterface, type Interface } from 'node:readline';
import { CommandFailure, EXIT } from '../exit-code.ts';
import type { Streams } from '../query/streams.ts';
import { Completion } from './completion.ts';
import type { Display } from './display.ts';
import { historyPath, mayBeKept, readHistory, writeHistory } from './history-file.ts';
import { withLocalFiles } from './local-files.ts';
import { type CommandScope, isMetaCommand, META_COMMANDS, runMetaCommand } from './meta-commands.ts';
import type { ShellSession } from './shell-session.ts';
import { messageInScript, typedStatements } from './statement-text.ts';

export interface ShellOptions {
  readonly session: ShellSession;
  readonly display: Display;
  readonly io: Streams;
  /** Files that can be queried by a name. */
  readonly files: ReadonlyMap<string, string>;
  readonly onError: 'stop' | 'continue';
}

/** Runs statements and commands, from a terminal or from a script. */
export class Shell implements CommandScope {
  readonly display: Display;
  readonly #options: ShellOptions;
  /** The running statement; aborting it cancels the statement. */
  #running: AbortController | undefined;
  #lines: Interface | undefined;
  #typed = '';
  #lastStatement: string | undefined;
  #failures = 0;
  #isLeaving = false;
  #isClosed = false;

  constructor(options: ShellOptions) {
    this.#options = options;
    this.display = options.display;
  }

  /** The number of statements and commands that failed. */
  get failures(): number {
    return this.#failures;
  }

  get lastStatement(): string | undefined {
    return this.#lastStatement;
  }

  get files(): ReadonlyMap<string, string> {
    return this.#options.files;
  }

  /** Gives the terminal back. */
  close(): void {
    this.#isClosed = true;
    this.#lines?.close();
  }

  leave(): void {
    this.#isLeaving = true;
  }

  /** Cancels the running statement; false if none runs. */
  interrupt(): boolean {
    this.#running?.abort();
    return this.#running !== undefined;
  }

  /** Runs work that Ctrl-C ends. Resolves to whether it was ended by that. */
  async interruptible(work: (signal: AbortSignal) => Promise<unknown>): Promise<boolean> {
    const running = new AbortController();
    this.#running = running;
    try {
      await work(running.signal);
    } catch (error) {
      if (!running.signal.aborted) throw error;
    } finally {
      this.#running = undefined;
    }
    return running.signal.aborted;
  }

  /**
   * Runs one statement and shows its result. An error is shown and resolves to false.
   * @param shown changes the message of an error
   */
  async query(sql: string, shown?: (message: string) => string): Promise<boolean> {
    const { session, files } = this.#options;
    const isDone = await this.#attempt(async () => {
      const { statement, parts } = await withLocalFiles(sql, files);
      const { sink, finish } = this.display.result();
      const run = async (signal: AbortSignal) => {
        await finish(await session.run(statement, sink, signal, parts));
      };
      if (await this.interruptible(run)) throw new CommandFailure(EXIT.interrupted, 'cancelled');
    }, shown);
    return isDone;
  }

  /**
   * Runs the statements and commands of a text. The last statement needs no semicolon.
   * @returns false if execution stopped at an error
   */
  async runScript(text: string): Promise<boolean> {
    let pending = '';
    /** The offsets in the text of what is pending, and of the next line. */
    let [begin, next] = [0, 0];
    for (const line of [...text.split('\n'), undefined]) {
      if (pending.trim() === '') [pending, begin] = ['', next];
      next += (line ?? '').length + 1;
      if (line !== undefined && pending === '' && isMetaCommand(line)) {
        if (!(await this.#attempt(() => runMetaCommand(this, line))) && this.#stops) return false;
        if (this.#isLeaving) return true;
        continue;
      }
      pending += line === undefined ? ';' : `${line}\n`;
      if (line?.includes(';') === false) continue;
      const { complete, rest } = typedStatements(pending);
      // A text with an open string has no end; the server reports where it begins.
      const isOpen = line === undefined && complete.length === 0 && rest.trim() !== '';
      const statements = isOpen ? [{ text: rest, offset: 0 }] : complete;
      for (const statement of statements) {
        this.#lastStatement = statement.text;
        const inScript = { ...statement, offset: begin + statement.offset };
        const shown = (message: string) => messageInScript(message, text, inScript);
        if (!(await this.query(statement.text, shown)) && this.#stops) return false;
      }
      begin += pending.length - rest.length;
      pending = rest;
    }
    return true;
  }

  /** Reads statements from the terminal until the user leaves. */
  async interact(): Promise<void> {
    const { io, session, files } = this.#options;
    const path = historyPath();
    const completion = new Completion(session, Object.keys(META_COMMANDS), files);
    const history = await readHistory(path);
    // The engine may have failed to start in the meantime.
    if (this.#isClosed) return;
    const lines = createInterface({
      input: io.stdin,
      output: io.stdout,
      terminal: true,
      history,
      historySize: 1_000,
      removeHistoryDuplicates: true,
      completer: (line: string, done: (error: null, result: [string[], string]) => void) =>
        void completion.of(line).then((result) => done(null, result)),
    });
    this.#lines = lines;
    this.display.lend = (work) => this.#lend(lines, work);
    lines.on('SIGINT', () => {
      if (this.interrupt()) return;
      this.#typed = '';
      io.stdout.write('^C\n');
      lines.write(null, { ctrl: true, name: 'e' });
      lines.write(null, { ctrl: true, name: 'u' });
      this.#prompt();
    });
    let isOpen = true;
    lines.once('close', () => {
      isOpen = false;
    });
    completion.prepare();
    this.#prompt();
    for await (const line of lines) {
      for (const statement of this.#typedLine(line)) {
        await completion.cancel();
        await this.#runTyped(statement);
        if (mayBeKept(statement)) await this.#remember(path, statement);
        completion.forget();
        if (this.#isLeaving) break;
      }
      if (this.#isLeaving) break;
      // Ctrl-D may have been typed while the statement ran.
      if (isOpen) this.#prompt();
    }
    lines.close();
    if (!this.#isLeaving) io.stdout.write('\n');
  }

  /** The statements and commands that the line completes. */
  #typedLine(line: string): readonly string[] {
    if (this.#typed.trim() === '' && isMetaCommand(line)) return [line];
    this.#typed += `${line}\n`;
    if (!line.includes(';')) return [];
    const { complete, rest } = typedStatements(this.#typed);
    if (complete.length > 0) this.#typed = rest.trim() === '' ? '' : rest;
    return complete.map((statement) => `${statement.text};`);
  }

  /** Gives the terminal to a program, such as a pager, until it has ended. */
  async #lend<T>(lines: Interface, work: () => Promise<T>): Promise<T> {
    const { stdin } = this.#options.io;
    lines.pause();
    stdin.setRawMode?.(false);
    try {
      return await work();
    } finally {
      stdin.setRawMode?.(true);
      lines.resume();
    }
  }

  async #runTyped(statement: string): Promise<void> {
    if (isMetaCommand(statement)) {
      await this.#attempt(() => runMetaCommand(this, statement));
      return;
    }
    this.#lastStatement = statement;
    await this.query(statement.replace(/;$/, ''));
  }

  /** Replaces the lines of a statement in the history by the statement as one line, and keeps it for later sessions. */
  async #remember(path: string, statement: string): Promise<void> {
    const typed = statement.trim().split(/\s*\n\s*/);
    if (typed.length > 1 && statement.includes('--')) return;
    const line = typed.join(' ');
    const { history } = this.#lines as unknown as { history: string[] };
    const others = history.slice(typed.length > 1 ? typed.length : 0).filter((entry) => entry !== line);
    history.splice(0, history.length, line, ...others);
    const earlier = (await readHistory(path)).filter((entry) => entry !== line);
    await writeHistory(path, [line, ...earlier]).catch(() => undefined);
  }

  #prompt(): void {
    const { parameters } = this.#options.session;
    const name = parameters.get('database') ?? 'tessera';
    const mark = parameters.has('transaction_id') ? '*' : '';
    const first = `${name}${mark}> `;
    this.#lines?.setPrompt(this.#typed.trim() === '' ? first : '-> '.padStart(first.length));
    this.#lines?.prompt();
  }

  get #stops(): boolean {
    return this.#options.onError === 'stop';
  }

  async #attempt(work: () => Promise<void>, shown = (message: string) => message): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      this.#failures += 1;
      this.display.complain(shown(error.message));
      return false;
    }
  }
}
