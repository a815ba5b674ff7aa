import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { undoneAtExit } from './undone-at-exit.ts';

/** To a program that {@link SqlProcess} starts. */
export interface SqlRequest {
  readonly sql: string;
  /** Answers all values; only those of the first row unless asked for. */
  readonly keep: boolean;
  /** The statement is to be broken off after this time. */
  readonly limitMs: number;
}

export interface SqlResult {
  /** From the statement to having its last row, without turning values into text. */
  readonly milliseconds: number;
  readonly rows: number;
  /** NULL is undefined. */
  readonly values: readonly (readonly (string | undefined)[])[];
}

/** How values travel: undefined does not survive between processes. */
export type SqlAnswer =
  | (Omit<SqlResult, 'values'> & { readonly values: readonly (readonly (string | null)[])[] })
  | { readonly error: string };

export interface SqlProcessOptions {
  /** What errors call it. */
  readonly name: string;
  readonly args?: readonly string[];
}

/** A database embedded in a process of its own, which takes one statement at a time. */
export class SqlProcess {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #callOff: () => void;

  constructor(program: string, { name, args = [] }: SqlProcessOptions) {
    this.#name = name;
    // In a process group of its own: Ctrl-C is for this program to act on.
    this.#child = fork(program, [...args], { detached: true });
    this.#ended = once(this.#child, 'exit');
    this.#callOff = undoneAtExit(() => this.#child.kill('SIGKILL'));
    // Whoever asks is told; a process that nobody asks may end.
    this.#ended.catch(() => {});
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** @throws Error with the message of the database */
  async run(request: SqlRequest): Promise<SqlResult> {
    if (!this.#child.connected) throw new Error(`${this.#name}: its process has ended`);
    const answered = once(this.#child, 'message') as Promise<[SqlAnswer]>;
    this.#child.send(request);
    const [answer] = await Promise.race([answered, this.#ended.then(() => [undefined])]);
    if (answer === undefined) throw new Error(`${this.#name}: its process has ended`);
    if ('error' in answer) throw new Error(`${this.#name}: ${answer.error}`);
    return { ...answer, values: answer.values.map((row) => row.map((value) => value ?? undefined)) };
  }

  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
    this.#callOff();
  }
}
