import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, query } from '../http.ts';

/** The current address of the server, which changes when it is restarted. */
export interface Place {
  url: string;
  /** Set at the end of the run: clients finish their statement and stop. */
  stopped: boolean;
}

/** The outcome of a statement; `unknown` if the connection broke before the answer. */
export type Outcome =
  | { readonly kind: 'done'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly answer: Answer }
  | { readonly kind: 'unknown' };

const RETRY_MS = 20;
/** Error codes that ask for a retry and guarantee that nothing was done. */
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
 * Repeats a statement under one query id until it is known to have been executed; undefined if the run ended
 * before.
 * @throws if the server refuses it permanently
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

/**
 * Whether a refusal had no effect and is worth a retry. This includes statements that still run since before
 * the connection broke.
 */
export function isRetryable(answer: Answer): boolean {
  if (answer.status === 503 || answer.status === 429) return true;
  const code = String(answer.json().errors?.[0]?.code ?? '');
  return RETRYABLE.has(code) || /is running/.test(answer.text);
}

/**
 * The rows of a query, repeated until the server is available; undefined if the run ended. @throws if it is
 * refused
 */
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
