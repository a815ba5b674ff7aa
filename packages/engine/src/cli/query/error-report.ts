interface ReportedError {
  readonly description?: string;
  readonly location?: {
    readonly failing_line?: number;
    readonly start_offset?: number;
    readonly end_offset?: number;
  } | null;
  readonly resolution?: string | null;
}

/** The errors in a server's answer, or undefined when the text is no such answer. */
export function parseErrors(body: string): readonly ReportedError[] | undefined {
  try {
    const answer: unknown = JSON.parse(body);
    const errors = (answer as { errors?: unknown } | null)?.errors;
    return Array.isArray(errors) && errors.length > 0 ? errors : undefined;
  } catch {
    return undefined;
  }
}

/** Each error with the line of the statement it points into, a marker under the place, and the way out. */
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

/** Lines longer than a screen are shown around the place only. */
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
