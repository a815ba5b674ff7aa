/**
 * @typedef {{ name: string, type: string }} Column
 * @typedef {{ failing_line: number, start_offset: number, end_offset: number }} Location lines and columns from 1
 * @typedef {{ description: string, name?: string, code?: string, resolution?: string, location?: Location }} Failure
 * @typedef {{ kind: 'rows', columns: Column[], rows: unknown[][], seconds: number | undefined }
 *   | { kind: 'done', affectedRows: string | null }
 *   | { kind: 'failed', failures: Failure[] }} Answer
 */

/**
 * What a response of the engine says.
 * @param {number} status HTTP status; 0: the connection broke
 * @param {string} body
 * @param {string | null} affectedRows the header of that name
 * @returns {Answer}
 */
export function readAnswer(status, body, affectedRows) {
  if (status === 0) return failed('The engine could not be reached, or the connection broke.');
  const parsed = parseObject(body);
  if (Array.isArray(parsed?.errors) && parsed.errors.length > 0)
    return { kind: 'failed', failures: parsed.errors };
  if (status >= 400) return failed(`HTTP status ${status}${body === '' ? '' : `: ${body.slice(0, 2_000)}`}`);
  if (body.trim() === '') return { kind: 'done', affectedRows };
  if (!Array.isArray(parsed?.meta) || !Array.isArray(parsed.data))
    return failed('The answer is not a result.');
  return { kind: 'rows', columns: parsed.meta, rows: parsed.data, seconds: parsed.statistics?.elapsed };
}

/** @param {string} type a type name of a result, such as `long null` */
export function isNumeric(type) {
  return /^(int|long|float|double|decimal|numeric)\b/i.test(type);
}

/** A value as the table shows it. @param {unknown} value */
export function cellText(value) {
  if (value === null || value === undefined) return 'NULL';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * The place an error points at, as offsets into the statement; a single position grows to the word it is in.
 * @param {string} sql @param {Location} location
 * @returns {{ line: string, lineStart: number, start: number, end: number } | undefined}
 */
export function placeIn(sql, location) {
  const lines = sql.split('\n');
  const line = lines[location.failing_line - 1];
  if (line === undefined) return undefined;
  const lineStart = lines.slice(0, location.failing_line - 1).reduce((sum, l) => sum + l.length + 1, 0);
  // Columns count characters; a string's offsets count UTF-16 units.
  const characters = [...line];
  const units = (/** @type {number} */ column) => characters.slice(0, column).join('').length;
  const first = units(Math.max(location.start_offset - 1, 0));
  if (first > line.length) return undefined;
  let last = units(location.end_offset);
  if (location.end_offset <= location.start_offset) {
    const word = /^(?:[\w$]+|"[^"]*"|'[^']*'|\S)/u.exec(line.slice(first));
    last = first + (word?.[0].length ?? 1);
  }
  return { line, lineStart, start: lineStart + first, end: lineStart + Math.max(last, first + 1) };
}

/** @param {string} description @returns {Answer} */
function failed(description) {
  return { kind: 'failed', failures: [{ description }] };
}

/** @param {string} body */
function parseObject(body) {
  try {
    const value = JSON.parse(body);
    return typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}
