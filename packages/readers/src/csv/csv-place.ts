import { isUtf8 } from 'node:buffer';
import { isSameName } from '@tessera/common';
import { type CsvRecord, type CsvShape, contentOf, csvRecords } from './csv-records.ts';

/** A place in a CSV file. */
export interface CsvPlace {
  /** The line in the file, counted from 1. */
  readonly line: number;
  /** The text of the line, truncated if it is long. */
  readonly text: string;
}

const SHOWN_CHARACTERS = 200;

const placeOf = ({ line, text }: Pick<CsvRecord, 'line' | 'text'>): CsvPlace => ({
  line,
  text: text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text,
});

/**
 * The first record that does not match the first record of the file, with the reason; undefined if all match.
 * The signal ends the search.
 */
export async function firstUnreadable(
  path: string,
  shape: CsvShape,
  signal: AbortSignal,
): Promise<(CsvPlace & { readonly reason: string }) | undefined> {
  let expected: number | undefined;
  for await (const record of csvRecords(path, shape)) {
    if (signal.aborted) return undefined;
    const { problem, fields, text } = record;
    if (problem !== undefined) return { ...placeOf(record), reason: problem };
    expected ??= fields.length;
    if (fields.length === expected || text === '') continue;
    const reason = `it has ${counted(fields.length)}, the first line has ${expected}`;
    return { ...placeOf(record), reason };
  }
  return undefined;
}

/**
 * The first line that does not end as the first line of the file does, with the reason; undefined if all do. The kernel refuses
 * files with several line ends. The signal ends the search.
 */
export async function firstMixedEnd(
  path: string,
  shape: CsvShape,
  signal: AbortSignal,
): Promise<(CsvPlace & { readonly reason: string }) | undefined> {
  let expected: CsvRecord['end'];
  for await (const record of csvRecords(path, shape)) {
    if (signal.aborted) return undefined;
    const { end } = record;
    expected ??= end;
    if (end !== undefined && end !== expected)
      return { ...placeOf(record), reason: `it ends with ${end}, the first line with ${expected}` };
  }
  return undefined;
}

/**
 * The first line that is not UTF-8, with the encoding if the file says so; undefined if all are. The signal ends the search.
 */
export async function firstForeignText(
  path: string,
  shape: Pick<CsvShape, 'compression'>,
  signal: AbortSignal,
): Promise<(CsvPlace & { readonly encoding: 'UTF-16' | undefined }) | undefined> {
  let [line, rest] = [1, Buffer.alloc(0)];
  for await (const chunk of contentOf(path, shape)) {
    if (signal.aborted) return undefined;
    const bytes = Buffer.concat([rest, chunk]);
    if (line === 1 && isUtf16(bytes)) return { line, text: '', encoding: 'UTF-16' };
    const end = bytes.lastIndexOf(LF) + 1;
    const lines = bytes.subarray(0, end);
    const found = isUtf8(lines) ? undefined : foreignLine(lines, line);
    if (found !== undefined) return found;
    for (let at = lines.indexOf(LF); at >= 0; at = lines.indexOf(LF, at + 1)) line += 1;
    rest = bytes.subarray(end);
    if (rest.length > MAX_LINE_BYTES) return undefined;
  }
  return isUtf8(rest) ? undefined : foreignLine(rest, line);
}

const LF = 10;
/** Longer lines are not searched. */
const MAX_LINE_BYTES = 16 << 20;

const isUtf16 = (bytes: Buffer): boolean =>
  bytes.length > 1 && (bytes.readUInt16BE(0) === 0xfffe || bytes.readUInt16BE(0) === 0xfeff);

function foreignLine(bytes: Buffer, from: number) {
  for (let [line, at] = [from, 0]; at < bytes.length; line += 1) {
    const end = bytes.indexOf(LF, at);
    const text = bytes.subarray(at, end < 0 ? bytes.length : end);
    if (!isUtf8(text)) return { ...placeOf({ line, text: text.toString('utf8') }), encoding: undefined };
    at += text.length + 1;
  }
  return undefined;
}

const counted = (fields: number): string => `${fields} ${fields === 1 ? 'field' : 'fields'}`;

/**
 * The first record with a cell of exactly this text: in the named column or, if there is no such column, in
 * any column. Undefined if no record has it; the signal ends the search.
 * @param names the column names; undefined if the first line contains them
 */
export async function firstWithCell(
  path: string,
  shape: CsvShape,
  cell: { readonly text: string; readonly column: string | undefined },
  names: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<(CsvPlace & { readonly column: string }) | undefined> {
  let columns = names;
  for await (const record of csvRecords(path, shape)) {
    if (signal.aborted) return undefined;
    const { fields } = record;
    if (columns === undefined) {
      columns = fields;
      continue;
    }
    const wanted = cell.column === undefined ? -1 : nameIndex(columns, cell.column);
    const at = wanted < 0 ? fields.indexOf(cell.text) : fields[wanted] === cell.text ? wanted : -1;
    if (at >= 0) return { ...placeOf(record), column: columns[at] ?? `f${at}` };
  }
  return undefined;
}

const nameIndex = (names: readonly string[], name: string): number =>
  names.findIndex((one) => isSameName(one, name));
