import { isSameName } from '@tessera/common';
import { type CsvRecord, type CsvShape, csvRecords } from './csv-records.ts';

/** A place in a CSV file. */
export interface CsvPlace {
  /** The line in the file, counted from 1. */
  readonly line: number;
  /** The text of the line, truncated if it is long. */
  readonly text: string;
}

const SHOWN_CHARACTERS = 200;

const placeOf = ({ line, text }: CsvRecord): CsvPlace => ({
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
