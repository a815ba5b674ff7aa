import type { Column, TableObject } from '@tessera/catalog';
import { fail, isSameName, nearestName, type SqlLocation } from '@tessera/common';
import { type KernelSession, quoteName, quoteText } from '@tessera/kernel';
import {
  type CopyColumn,
  type CopyFromStatement,
  checkedCast,
  nullRefused,
  storedForm,
  TEXT_READERS,
} from '@tessera/sql';
import type { ChangeContext } from '../changes/change.ts';
import { definitionExpression } from '../objects/definition-check.ts';
import type { CopyFiles } from './copy-files.ts';
import { isOn } from './text-options.ts';

/** The source of a table column in the files: SQL over the source's columns. */
export interface CopiedColumn {
  readonly column: Column;
  /** The cell in the file; undefined if the column takes its default instead. */
  readonly cell: string | undefined;
  /** The value to store if there is no cell or it is NULL. */
  readonly fallback: string;
}

/** The name of the source's column with the file of each row. */
export const FILE_COLUMN = '$file';

/**
 * @param names the names of the source's columns, in order
 * @throws TesseraError UNDEFINED_NAME, BINDING_ERROR for columns that do not match
 */
export async function copiedColumns(
  context: ChangeContext,
  session: KernelSession,
  table: TableObject,
  statement: CopyFromStatement,
  { format, files }: CopyFiles,
  names: readonly string[],
): Promise<CopiedColumn[]> {
  const { mapping, options } = statement;
  const isText = format === 'CSV' || format === 'TSV';
  const byName = !isText || isOn(options.header, false);
  const tolerant = isOn(options.allow_column_mismatch, true);
  checkMapping(table, mapping);
  if (mapping === undefined && !byName && !tolerant && names.length !== table.columns.length) {
    const message = `The files have ${names.length} columns, table "${table.name}" has ${table.columns.length} (ALLOW_COLUMN_MISMATCH is false)`;
    fail('BINDING_ERROR', { message }, { location: statement.table.location });
  }
  const result: CopiedColumn[] = [];
  for (const [i, column] of table.columns.entries()) {
    const at = mapping === undefined ? i : mapping.findIndex(({ name }) => name === column.name);
    const mapped = mapping?.[at];
    const isGiven = mapping === undefined || at >= 0;
    const cell = isGiven ? cellOf(mapped, column, { at, byName, names, tolerant, files }) : undefined;
    result.push({ column, cell, fallback: await fallbackOf(context, session, column, mapped) });
  }
  return result;
}

/** The value to store; a cell that cannot be cast, or a forbidden NULL, fails the statement. */
export function storedValue({ column, cell, fallback }: CopiedColumn, table: TableObject): string {
  const value =
    cell === undefined ? `CAST(${fallback} AS ${column.type})` : coalesced(readCell(cell, column), fallback);
  const checked = column.nullable ? value : `coalesce(${value}, ${nullRefused(table.name, column.name)})`;
  return `${checked} AS ${quoteName(column.storedName)}`;
}

/** A cell as its column stores it; a text must be one that PostgreSQL reads. */
function readCell(cell: string, column: Column): string {
  const stored = storedForm(cell, column);
  const reader = TEXT_READERS[column.type];
  return reader === undefined
    ? stored
    : `CASE WHEN tsr_is_text(${cell}) THEN ${checkedCast(reader, `CAST(${cell} AS VARCHAR)`, column.type)} ELSE ${stored} END`;
}

/** The problem with the cell of a row of text, as text; NULL if there is none. */
export function cellProblem({ column, cell, fallback }: CopiedColumn): string {
  if (cell === undefined) return 'NULL';
  const name = quoteText(column.name);
  const reader = TEXT_READERS[column.type];
  const read = reader === undefined ? cell : `${reader}(CAST(${cell} AS VARCHAR))`;
  const cast = `WHEN ${cell} IS NOT NULL AND TRY_CAST(${read} AS ${column.type}) IS NULL THEN 'column ' || ${name} || ': cannot read ' || chr(39) || ${cell} || chr(39) || ' as ${column.type.replaceAll("'", "''")}'`;
  const isNull = column.nullable
    ? ''
    : ` WHEN ${coalesced(cell, fallback)} IS NULL THEN 'column ' || ${name} || ': NULL in a NOT NULL column'`;
  return `CASE ${cast}${isNull} END`;
}

const coalesced = (value: string, fallback: string): string =>
  fallback === 'NULL' ? value : `coalesce(${value}, ${fallback})`;

interface CellScope {
  readonly at: number;
  readonly byName: boolean;
  readonly names: readonly string[];
  readonly tolerant: boolean;
  readonly files: CopyFiles['files'];
}

function cellOf(
  mapped: CopyColumn | undefined,
  column: Column,
  { at, byName, names, tolerant, files }: CellScope,
): string | undefined {
  const source = mapped?.source;
  if (source?.kind === 'virtual') return virtualCell(source.name, files);
  if (source?.kind === 'position') return positioned(source.index - 1, names, mapped!.location);
  const wanted = source?.name ?? column.name;
  if (!byName && source === undefined) {
    if (at < names.length) return quoteName(names[at]!);
    return tolerant ? undefined : positioned(at, names, mapped?.location);
  }
  const found = names.find((name) => name === wanted) ?? names.find((name) => isSameName(name, wanted));
  if (found !== undefined) return quoteName(found);
  if (source === undefined && tolerant) return undefined;
  const nearest = nearestName(wanted, names);
  const message = `The files have no column "${wanted}"${nearest ? ` (did you mean ${nearest}?)` : ''}`;
  return fail('UNDEFINED_NAME', { message }, { location: mapped?.location });
}

function positioned(index: number, names: readonly string[], location: SqlLocation | undefined): string {
  const name = names[index];
  if (name !== undefined) return quoteName(name);
  const message = `The files have ${names.length} columns, so there is no $${index + 1}`;
  return fail('UNDEFINED_NAME', { message }, { location });
}

function virtualCell(name: string, files: CopyFiles['files']): string {
  const value = (file: CopyFiles['files'][number]): string => {
    if (name === 'source_file_size') return String(file.bytes);
    if (name === 'source_file_timestamp') return `TIMESTAMPTZ ${quoteText(file.modifiedAt.toISOString())}`;
    return quoteText(file.label);
  };
  const cases = files.map((file) => `WHEN ${quoteText(file.path)} THEN ${value(file)}`);
  return `CASE ${quoteName(FILE_COLUMN)} ${cases.join(' ')} END`;
}

/** The value of a column that the rows do not contain, or that is NULL: its default, or that of a mapping. */
export async function fallbackOf(
  context: ChangeContext,
  session: KernelSession,
  column: Column,
  mapped: CopyColumn | undefined,
): Promise<string> {
  const given = mapped?.default;
  const sql =
    given?.sql ?? (mapped === undefined || mapped.source === undefined ? column.defaultSql : undefined);
  if (sql === undefined) return 'NULL';
  const text = given === undefined ? sql : context.run.text;
  const expression = { sql, offset: given?.offset ?? 0 };
  const kernel = await definitionExpression(context, session, expression, [], text);
  return `CAST(${kernel.sql} AS ${column.type})`;
}

/** @throws TesseraError UNDEFINED_NAME for a column that the table does not have */
export function checkMapping(
  table: TableObject,
  mapping: readonly Pick<CopyColumn, 'name' | 'location'>[] | undefined,
): void {
  for (const { name, location } of mapping ?? []) {
    if (table.columns.some((column) => column.name === name)) continue;
    const nearest = nearestName(
      name,
      table.columns.map((column) => column.name),
    );
    const message = `Column "${name}" of table "${table.name}" does not exist${nearest ? ` (did you mean ${nearest}?)` : ''}`;
    fail('UNDEFINED_NAME', { message }, { location });
  }
}
