import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * A node:http server in a process of its own that discards every request body and answers 42: the cost of
 * HTTP alone.
 */
export class PlainHttp {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(): Promise<PlainHttp> {
    const child = fork(join(import.meta.dirname, 'plain-http-process.ts'), { detached: true });
    const [port] = (await once(child, 'message')) as [number];
    return new PlainHttp(child, `http://127.0.0.1:${port}`);
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    await exited;
  }
}
