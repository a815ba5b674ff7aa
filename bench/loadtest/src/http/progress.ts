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

/**
 * Runs a statement with `progress=true` and reads its whole answer.
 * @param clocks in milliseconds, such as CPU time, which does not depend on other load of the machine
 * @returns what was seen, by each clock
 * @throws Error if the statement fails
 */
export async function seenProgress<Clock extends string>(
  url: string,
  sql: string,
  settings: Readonly<Record<string, string>>,
  clocks: Readonly<Record<Clock, () => number>>,
): Promise<Record<Clock, SeenProgress>> {
  const names = Object.keys(clocks) as Clock[];
  const now = () => names.map((name) => clocks[name]());
  const pool = new Pool(url, { connections: 1, headersTimeout: 0, bodyTimeout: 0 });
  const start = now();
  const updates: { readonly at: readonly number[]; readonly percent: number | null }[] = [];
  try {
    const parameters = { output_format: 'JSONLines_Compact', progress: 'true', ...settings };
    const path = `/?${new URLSearchParams(parameters)}`;
    const { statusCode, body } = await pool.request({ method: 'POST', path, body: sql });
    if (statusCode !== 200) throw new Error(`HTTP ${statusCode}: ${await body.text()}`);
    for await (const line of createInterface(body)) {
      const message = JSON.parse(line) as Message;
      if (message.errors !== undefined) throw new Error(line);
      if (message.message_type === 'PROGRESS') updates.push({ at: now(), percent: message.percent ?? null });
    }
    const end = now();
    const by = (clock: number): SeenProgress => ({
      milliseconds: end[clock]! - start[clock]!,
      updates: updates.map(({ at, percent }) => ({ at: at[clock]! - start[clock]!, percent })),
    });
    return Object.fromEntries(names.map((name, clock) => [name, by(clock)])) as Record<Clock, SeenProgress>;
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
