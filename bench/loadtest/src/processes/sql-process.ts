import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { undoneAtExit } from './undone-at-exit.ts';

/** A request to a program that {@link SqlProcess} starts. */
export interface SqlRequest {
  readonly sql: string;
  /** Whether all values are returned, or only those of the first row. */
  readonly keep: boolean;
  /** The time after which the statement is cancelled. */
  readonly limitMs: number;
}

export interface SqlResult {
  /** The time from the statement to its last row, without converting values to text. */
  readonly milliseconds: number;
  readonly rows: number;
  /** NULL is undefined. */
  readonly values: readonly (readonly (string | undefined)[])[];
}

/** An answer in transit between processes, where undefined would be lost. */
export type SqlAnswer =
  | (Omit<SqlResult, 'values'> & { readonly values: readonly (readonly (string | null)[])[] })
  | { readonly error: string };

export interface SqlProcessOptions {
  /** The name in error messages. */
  readonly name: string;
  readonly args?: readonly string[];
}

/** A database embedded in a process of its own, which runs one statement at a time. */
export class SqlProcess {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #callOff: () => void;

  constructor(program: string, { name, args = [] }: SqlProcessOptions) {
    this.#name = name;
    // The process gets a process group of its own, because this program handles Ctrl-C.
    this.#child = fork(program, [...args], { detached: true });
    this.#ended = once(this.#child, 'exit');
    this.#callOff = undoneAtExit(() => this.#child.kill('SIGKILL'));
    // Callers get the error; a process without callers may end.
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
