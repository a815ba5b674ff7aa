import { CommandFailure, EXIT } from '../exit-code.ts';
import type { Answer } from './server.ts';

export interface ReportedError {
  readonly description?: string;
  readonly location?: {
    readonly failing_line?: number;
    readonly start_offset?: number;
    readonly end_offset?: number;
  } | null;
  readonly resolution?: string | null;
}

/** The errors in a server's answer; undefined if the text is not an error answer. */
export function parseErrors(body: string): readonly ReportedError[] | undefined {
  try {
    const answer: unknown = JSON.parse(body);
    const errors = (answer as { errors?: unknown } | null)?.errors;
    return Array.isArray(errors) && errors.length > 0 ? errors : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Formats each error with the line of the statement that it points into, a marker under the position, and the
 * resolution.
 */
export function errorReport(errors: readonly ReportedError[], sql: string): string {
  return errors
    .map((error) =>
      [
        `error: ${error.description ?? 'the server gave no description'}`,
        ...pointer(error.location, sql),
        ...(error.resolution ? [`hint: ${error.resolution}`] : []),
      ].join('\n'),
    )
    .join('\n');
}

/** The failure that a refused request ends with: the server's errors as `report` shows them, or what else it answered. */
export async function refusal(
  { statusCode, body }: Answer,
  report: (errors: readonly ReportedError[]) => string,
): Promise<CommandFailure> {
  const text = await body.text();
  const errors = parseErrors(text);
  if (errors === undefined) {
    return new CommandFailure(
      EXIT.connection,
      `error: the server answered HTTP ${statusCode}, not as Tessera does: ${text.slice(0, 300)}`,
    );
  }
  const hint = statusCode === 401 ? '\nhint: log in with --user NAME, or show a token with --token' : '';
  return new CommandFailure(EXIT.queryError, report(errors) + hint);
}

/** Longer lines are shown only around the position. */
const BEFORE = 60;
const SHOWN = 120;

function pointer(location: ReportedError['location'], sql: string): string[] {
  const line = sql.split(/\r?\n/)[(location?.failing_line ?? 0) - 1];
  const start = (location?.start_offset ?? 0) - 1;
  if (line === undefined || start < 0) return [];
  // Columns count characters, not UTF-16 units.
  const characters = [...line];
  if (start > characters.length) return [];
  const from = Math.max(0, start - BEFORE);
  const excerpt = characters
    .slice(from, from + SHOWN)
    .join('')
    .replaceAll('\t', ' ');
  const width = Math.max(1, Math.min((location?.end_offset ?? 0) - start, characters.length - start, SHOWN));
  return [`  ${excerpt}`, `  ${' '.repeat(start - from)}${'^'.repeat(width)}`];
}
