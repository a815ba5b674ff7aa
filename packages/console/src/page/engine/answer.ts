export interface Column {
  readonly name: string;
  /** As SQL names it, such as `bigint`. */
  readonly type: string;
}

/** Lines and columns from 1, columns in characters. */
export interface Location {
  readonly failing_line: number;
  readonly start_offset: number;
  readonly end_offset: number;
}

export interface Failure {
  readonly description: string;
  readonly name?: string;
  readonly code?: string;
  readonly resolution?: string;
  readonly location?: Location;
}

export interface Notice {
  readonly severity: string;
  readonly description: string;
  readonly resolution?: string;
}

/** Seconds and bytes, as the HTTP API documents them. */
interface Statistics {
  readonly elapsed?: number;
  readonly time_before_execution?: number;
  readonly rows_read?: number;
  readonly bytes_read?: number;
  readonly scanned_bytes_cache?: number;
  readonly scanned_bytes_storage?: number;
  readonly from_result_cache?: boolean;
}

export interface RowsAnswer {
  readonly kind: 'rows';
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly unknown[])[];
  readonly statistics: Statistics;
  readonly notices: readonly Notice[];
}

export type Answer =
  | RowsAnswer
  | { readonly kind: 'done'; readonly affectedRows: string | null; readonly notices: readonly Notice[] }
  | { readonly kind: 'failed'; readonly failures: readonly Failure[] };

/** What a response of the engine says. Status 0 means that the connection broke. */
export function readAnswer(
  status: number,
  body: string,
  header: (name: string) => string | null = () => null,
): Answer {
  if (status === 0) return failed('The engine could not be reached, or the connection broke.');
  const parsed = parseObject(body);
  if (Array.isArray(parsed?.errors) && parsed.errors.length > 0)
    return { kind: 'failed', failures: parsed.errors };
  if (status >= 400) return failed(`HTTP status ${status}${body === '' ? '' : `: ${body.slice(0, 2_000)}`}`);
  const warnings = header('X-Tessera-Warnings');
  const notices = warnings === null ? [] : ((JSON.parse(warnings) ?? []) as Notice[]);
  if (body.trim() === '') return { kind: 'done', affectedRows: header('X-Tessera-Affected-Rows'), notices };
  if (!Array.isArray(parsed?.meta) || !Array.isArray(parsed.data))
    return failed('The answer is not a result.');
  return {
    kind: 'rows',
    columns: (parsed.meta as Column[]).map(({ name, type }) => ({ name, type: sqlType(type) })),
    rows: parsed.data,
    statistics: parsed.statistics ?? {},
    notices: parsed.warnings ?? notices,
  };
}

const SQL_TYPES: Readonly<Record<string, string>> = {
  int: 'integer',
  long: 'bigint',
  float: 'real',
  double: 'double precision',
  Decimal: 'numeric',
};

/** The SQL name of a type that the HTTP API describes as, for example, `long null`. */
const sqlType = (type: string): string =>
  type
    .replaceAll(/ null\b/g, '')
    .replaceAll(/\b(?:int|long|float|double|Decimal)\b/g, (name) => SQL_TYPES[name]!);

/** Whether values of a type are numbers. */
export const isNumeric = (type: string): boolean => /^(integer|bigint|real|double|numeric)\b/.test(type);

/** A value as the grid shows it. */
export function cellText(value: unknown, type = ''): string {
  if (value === null || value === undefined) return 'NULL';
  return typeof value === 'object' ? jsonText(value, type) : String(value);
}

/** Arrays of numbers that are texts in JSON, because a double cannot hold all of them. */
const EXACT_NUMBERS = /^(?:array\()+(?:bigint|numeric)\b/;

/** An array or a struct as JSON; with line breaks if they are indented. */
export function jsonText(value: object, type: string, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  return EXACT_NUMBERS.test(type) ? text.replaceAll('"', '') : text;
}

export interface Place {
  readonly line: string;
  readonly lineStart: number;
  readonly start: number;
  readonly end: number;
}

/** The place an error points at, as offsets into the statement; a single position grows to the word it is in. */
export function placeIn(sql: string, location: Location): Place | undefined {
  const lines = sql.split('\n');
  const line = lines[location.failing_line - 1];
  if (line === undefined) return undefined;
  const lineStart = lines.slice(0, location.failing_line - 1).reduce((sum, l) => sum + l.length + 1, 0);
  // Columns count characters; a string's offsets count UTF-16 units.
  const characters = [...line];
  const units = (column: number) => characters.slice(0, column).join('').length;
  const first = units(Math.max(location.start_offset - 1, 0));
  if (first > line.length) return undefined;
  let last = units(location.end_offset);
  if (location.end_offset <= location.start_offset) {
    const word = /^(?:[\w$]+|"[^"]*"|'[^']*'|\S)/u.exec(line.slice(first));
    last = first + (word?.[0].length ?? 1);
  }
  return { line, lineStart, start: lineStart + first, end: lineStart + Math.max(last, first + 1) };
}

/** The description of a failure, with its place in the text that the statement is a part of. */
export function describedIn(
  { description, location }: Failure,
  before: { readonly lines: number; readonly characters: number } = { lines: 0, characters: 0 },
): string {
  if (location === undefined) return description;
  const { failing_line: line, start_offset: column } = location;
  const place = `Line ${line + before.lines}, Column ${line === 1 ? column + before.characters : column}`;
  return description.replace(/^Line \d+, Column \d+(?=:)/, place);
}

function failed(description: string): Answer {
  return { kind: 'failed', failures: [{ description }] };
}

// biome-ignore lint/suspicious/noExplicitAny: the caller checks the members that it reads
function parseObject(body: string): Record<string, any> | undefined {
  try {
    const value = JSON.parse(body);
    return typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}
