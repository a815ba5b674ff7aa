import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Load, LoadResult } from './load.ts';
import { LoopResult } from './loop-result.ts';
import type { LoadAnswer, LoadRequest } from './serve-load.ts';

/** A separate process for loads, so that other work of the measuring program does not affect latencies. */
export class LoadProcess<Parameters> {
  readonly #child: ChildProcess;

  /** @param program a file that calls `serveLoad` */
  constructor(program: string) {
    this.#child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  /** Only one call may run at a time. @throws Error if the load could not be run at all */
  async run(parameters: Parameters, load: Load): Promise<LoadResult> {
    const ended = new AbortController();
    const { signal } = ended;
    try {
      this.#child.send({ parameters, load } satisfies LoadRequest);
      const answer = await Promise.race([
        once(this.#child, 'message', { signal }).then(([message]) => message as LoadAnswer),
        once(this.#child, 'exit', { signal }).then(([code, by]) => {
          throw new Error(`The process of the load ended with ${code ?? by}`);
        }),
      ]);
      if ('error' in answer) throw new Error(answer.error);
      const results = answer.results.map(([name, sent]) => [name, LoopResult.received(sent)] as const);
      return { results: new Map(results), lag: answer.lag };
    } finally {
      ended.abort();
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    await exited;
  }
}
