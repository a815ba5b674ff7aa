import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What {@link PlainDuckDb.run} measured. */
export interface PlainRun {
  readonly milliseconds: number;
  readonly rows: number;
  /** First value of the first row. */
  readonly first: string | undefined;
}

export type PlainAnswer = PlainRun | { readonly error: string };

/** DuckDB alone in a process of its own: the peer of our server, and the maker of test data. */
export class PlainDuckDb {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(join(import.meta.dirname, 'plain-duckdb-process.ts'));
  }

  /** Runs one statement and fetches all its chunks. One call at a time. @throws with DuckDB's message */
  async run(sql: string): Promise<PlainRun> {
    this.#child.send(sql);
    const [answer] = (await once(this.#child, 'message')) as [PlainAnswer];
    if ('error' in answer) throw new Error(`plain DuckDB: ${answer.error}`);
    return answer;
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    await exited;
  }
}
