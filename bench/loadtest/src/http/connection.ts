import { timeoutSignal } from '@tessera/common';
import { Pool } from 'undici';

export interface Answer {
  readonly milliseconds: number;
  readonly text: string;
}

/** One keep-alive connection to a server. */
export class Connection {
  readonly #pool: Pool;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, token?: string) {
    this.#headers = bearer(token);
    this.#pool = new Pool(url, { connections: 1, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  }

  /**
   * Runs a statement and reads its whole answer. @throws if the status is not 200, or after the time limit
   */
  async run(
    sql: string,
    outputFormat = 'TabSeparatedWithNames',
    limitMs?: number,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const start = performance.now();
    const path = `/?${new URLSearchParams({ output_format: outputFormat, ...settings })}`;
    const signal = limitMs === undefined ? undefined : timeoutSignal(limitMs);
    const { statusCode, body } = await this.#pool.request({
      method: 'POST',
      path,
      body: sql,
      headers: this.#headers,
      ...(signal && { signal }),
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`HTTP ${statusCode}: ${text}\n${sql.slice(0, 500)}`);
    return { milliseconds: performance.now() - start, text };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** The header with a token. */
export const bearer = (token: string | undefined): Readonly<Record<string, string>> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };
