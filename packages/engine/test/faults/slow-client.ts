import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { TesseraProcess } from '../tessera-process.ts';
import { SPREAD } from './slow-queries.ts';

/** A client that reads a result at its own pace: it only reads from the connection on request. */
export class SlowClient implements Disposable {
  readonly #response: IncomingMessage;

  private constructor(response: IncomingMessage) {
    this.#response = response;
  }

  /** Resolves when the result begins. @throws Error if the response is not a result */
  static async ask(node: TesseraProcess, sql: string): Promise<SlowClient> {
    const url = new URL(node.url);
    for (const [name, value] of Object.entries(SPREAD)) url.searchParams.set(name, value);
    url.searchParams.set('output_format', 'JSONLines_Compact');
    const asked = request(url, { method: 'POST' }).end(sql);
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
    response.on('error', () => undefined);
    return new SlowClient(response);
  }

  /** Waits for this many bytes and reads them. @throws Error at the end of the result */
  async take(bytes: number): Promise<Buffer> {
    for (;;) {
      const taken = this.#response.read(bytes) as Buffer | null;
      if (taken !== null) return taken;
      if (this.#response.readableEnded || this.#response.destroyed) throw new Error('the result has ended');
      await once(this.#response, 'readable');
    }
  }

  /** Reads to the end of the result, or until the connection breaks. */
  async rest(): Promise<string> {
    const parts: Buffer[] = [];
    try {
      for await (const part of this.#response) parts.push(part as Buffer);
    } catch {
      // What came before the break counts.
    }
    return Buffer.concat(parts).toString();
  }

  /** Disconnects. */
  [Symbol.dispose](): void {
    this.#response.destroy();
  }
}
