import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, query } from '../http.ts';

/** Where the server is now; it moves when it is started again. */
export interface Place {
  url: string;
  /** Set when the run is over: clients finish what they do and stop. */
  stopped: boolean;
}

/** What became of a statement: `unknown` when the connection broke before the answer. */
export type Outcome =
  | { readonly kind: 'done'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly answer: Answer }
  | { readonly kind: 'unknown' };

const RETRY_MS = 20;
/** Answers that say "again later" and did nothing. */
const RETRYABLE = new Set(['40001', '57P01', '57P03', '57P04', '53300']);

export async function attempt(
  place: Place,
  sql: string,
  params: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  try {
    const answer = await query(place, sql, { output_format: 'JSON_Compact', ...params });
    return { kind: answer.status === 200 ? 'done' : 'refused', answer };
  } catch {
    return { kind: 'unknown' };
  }
}

/**
 * Sends a statement under one query id until it is known to have happened; undefined when the run ended before that.
 * @throws when the server refuses it for good
 */
export async function untilDone(place: Place, sql: string, queryId: string): Promise<Answer | undefined> {
  while (!place.stopped) {
    const outcome = await attempt(place, sql, { query_id: queryId });
    if (outcome.kind === 'done') return outcome.answer;
    if (outcome.kind === 'refused' && !isRetryable(outcome.answer)) {
      throw new Error(`${sql}: HTTP ${outcome.answer.status}: ${outcome.answer.text}`);
    }
    await pause(RETRY_MS);
  }
  return undefined;
}

/** Refused without effect, and worth another try; so is a statement that still runs from before the connection broke. */
export function isRetryable(answer: Answer): boolean {
  if (answer.status === 503 || answer.status === 429) return true;
  const code = String(answer.json().errors?.[0]?.code ?? '');
  return RETRYABLE.has(code) || /is running/.test(answer.text);
}

/** Rows of a query, asked for until the server is there; undefined when the run ended. @throws when it is refused */
export async function read(place: Place, sql: string): Promise<unknown[][] | undefined> {
  while (!place.stopped) {
    const outcome = await attempt(place, sql);
    if (outcome.kind === 'done') return outcome.answer.json().data;
    if (outcome.kind === 'refused' && !isRetryable(outcome.answer)) {
      throw new Error(`${sql}: HTTP ${outcome.answer.status}: ${outcome.answer.text}`);
    }
    await pause(RETRY_MS);
  }
  return undefined;
}
