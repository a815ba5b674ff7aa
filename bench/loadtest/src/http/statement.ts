import { Pool } from 'undici';
import { bearer } from './connection.ts';

/** The measurements of reading a whole answer. */
export interface DiscardedAnswer {
  readonly milliseconds: number;
  readonly bytes: number;
}

/** Runs a statement and discards its result while reading it. @throws if the status is not 200 */
export async function runDiscarding(
  url: string,
  sql: string,
  outputFormat: string,
  token?: string,
): Promise<DiscardedAnswer> {
  const start = performance.now();
  const pool = new Pool(url, { connections: 1, headersTimeout: 0, bodyTimeout: 0 });
  try {
    const path = `/?output_format=${outputFormat}`;
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path,
      body: sql,
      headers: bearer(token),
    });
    if (statusCode !== 200) throw new Error(`${outputFormat}: HTTP ${statusCode}: ${await body.text()}`);
    let bytes = 0;
    for await (const chunk of body) bytes += (chunk as Buffer).length;
    return { milliseconds: performance.now() - start, bytes };
  } finally {
    await pool.close();
  }
}
