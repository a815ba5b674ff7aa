import { timerMs } from '@tessera/common';
import { Client } from 'undici';

/** Thrown if a statement was refused. */
class Refused extends Error {
  readonly status: number;
  readonly sqlState: string | undefined;

  constructor(status: number, text: string) {
    super(`HTTP ${status}: ${text}`);
    this.status = status;
    this.sqlState = /"code" *: *"([0-9A-Z]{5})"/.exec(text)?.[1];
  }
}

export interface HttpSessionOptions {
  /** The time after which a statement counts as failed, in milliseconds. */
  readonly limitMs: number;
}

/** A client with one keep-alive connection, which is reopened if it breaks. */
export class HttpSession {
  readonly #client: Client;

  constructor(url: string, { limitMs }: HttpSessionOptions) {
    this.#client = new Client(url, {
      pipelining: 1,
      headersTimeout: timerMs(limitMs),
      bodyTimeout: timerMs(limitMs),
    });
  }

  /**
   * The rows as JSON values. @throws an Error with `status` and `sqlState`, or with the `code` of the
   * connection
   */
  async query(sql: string, parameters: Readonly<Record<string, string>> = {}): Promise<unknown[][]> {
    const { text } = await this.statement(sql, { output_format: 'JSON_Compact', ...parameters });
    return text === '' ? [] : ((JSON.parse(text) as { data?: unknown[][] }).data ?? []);
  }

  async statement(
    sql: string,
    parameters: Readonly<Record<string, string>>,
  ): Promise<{ readonly text: string; readonly headers: Readonly<Record<string, unknown>> }> {
    const path = `/?${new URLSearchParams(parameters)}`;
    const { statusCode, headers, body } = await this.#client.request({ method: 'POST', path, body: sql });
    const text = await body.text();
    if (statusCode !== 200) throw new Refused(statusCode, text);
    return { text, headers };
  }

  /** Aborts the running request. */
  close(): Promise<void> {
    return this.#client.destroy();
  }
}
