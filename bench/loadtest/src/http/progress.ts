import { createInterface } from 'node:readline';
import { Pool } from 'undici';

/** The progress of a statement as its client received it. */
export interface SeenProgress {
  readonly milliseconds: number;
  /** The time of each message after the request, in milliseconds, and its percentage; null while that was unknown. */
  readonly updates: readonly { readonly at: number; readonly percent: number | null }[];
}

interface Message {
  readonly message_type: string;
  readonly percent?: number | null;
  readonly errors?: readonly unknown[];
}

/** Runs a statement with `progress=true` and reads its whole answer. @throws Error if the statement fails */
export async function seenProgress(
  url: string,
  sql: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<SeenProgress> {
  const pool = new Pool(url, { connections: 1, headersTimeout: 0, bodyTimeout: 0 });
  const start = performance.now();
  const updates: SeenProgress['updates'][number][] = [];
  try {
    const parameters = { output_format: 'JSONLines_Compact', progress: 'true', ...settings };
    const path = `/?${new URLSearchParams(parameters)}`;
    const { statusCode, body } = await pool.request({ method: 'POST', path, body: sql });
    if (statusCode !== 200) throw new Error(`HTTP ${statusCode}: ${await body.text()}`);
    for await (const line of createInterface(body)) {
      const message = JSON.parse(line) as Message;
      if (message.errors !== undefined) throw new Error(line);
      if (message.message_type !== 'PROGRESS') continue;
      updates.push({ at: performance.now() - start, percent: message.percent ?? null });
    }
    return { milliseconds: performance.now() - start, updates };
  } finally {
    await pool.close();
  }
}

/** The percentage that was shown at half time, between the two messages around it. */
export function percentAtHalfTime({ milliseconds, updates }: SeenProgress): number {
  const half = milliseconds / 2;
  let before = { at: 0, percent: 0 };
  for (const { at, percent } of updates) {
    if (percent === null) continue;
    if (at > half)
      return before.percent + ((percent - before.percent) * (half - before.at)) / (at - before.at);
    before = { at, percent };
  }
  return before.percent;
}

/** Whether no message shows a lower percentage than an earlier one. */
export const neverGoesBack = ({ updates }: SeenProgress): boolean => {
  const percents = updates.flatMap(({ percent }) => (percent === null ? [] : [percent]));
  return percents.every((percent, i) => i === 0 || percent >= percents[i - 1]!);
};
