import { fail, isSameName } from '@tessera/common';
import { quoteName, quoteText } from '@tessera/kernel';
import type { FileColumn } from '@tessera/tablet';
import type { TableColumn, TableField } from '../file-scan.ts';

/** The column of a file that holds a column of the table: by field id if the file has ids, else by name. */
export function columnIn(columns: readonly FileColumn[], wanted: TableColumn): FileColumn | undefined {
  if (wanted.field !== undefined && wanted.isByName !== true && columns.some(({ id }) => id !== undefined))
    return columns.find(({ id }) => id === wanted.field!.id);
  const names = wanted.storedNames ?? [wanted.name];
  return (
    columns.find((one) => names.includes(one.name)) ??
    columns.find((one) => names.some((name) => isSameName(one.name, name)))
  );
}

/**
 * The value of a column of the table in the rows of a file, as SQL over the relation `from`.
 * @throws TesseraError BAD_FILE if the file lacks a column that it must have
 */
export function columnValue(
  columns: readonly FileColumn[],
  wanted: TableColumn,
  from: string,
  url: string,
): string {
  const found = columnIn(columns, wanted);
  const { type, absent, field } = wanted;
  if (found === undefined) {
    if (absent === undefined)
      fail('BAD_FILE', { name: url, reason: `it has no column ${quoteName(wanted.name)}` });
    return `CAST(${absent ?? 'NULL'} AS ${type})`;
  }
  const stored = `${from}.${quoteName(found.name)}`;
  // INT96 is a time in UTC, which the kernel would take for a time in the zone of the session.
  if (found.isInt96 && type === 'TIMESTAMPTZ') return `(${stored} AT TIME ZONE 'UTC')`;
  const value = field === undefined ? stored : rebuilt(stored, found, field, { url, column: wanted.name });
  return `CAST(${value} AS ${type})`;
}

/**
 * How a scan of files says which of them a row is from: SQL for the position in the list, and an argument for the scan. A
 * column of the files that is named as the kernel's `file_index` hides it.
 */
export function filePosition(
  paths: readonly string[],
  names: readonly string[],
): { readonly sql: string; readonly argument: string } {
  if (!names.some((name) => isSameName(name, 'file_index')))
    return { sql: 'CAST(file_index AS BIGINT)', argument: '' };
  const list = paths.map(quoteText).join(', ');
  return { sql: `(list_position([${list}], "$file") - 1)`, argument: ", filename = '$file'" };
}

/**
 * A value that is the same in all rows of a unit, as SQL.
 * @param values the values of the units, as texts
 * @param at the position of the unit of a row, as SQL
 */
export function constantValue(values: readonly (string | null)[], type: string, at: string): string {
  const texts = values.map((text) => (text === null ? 'NULL' : quoteText(text)));
  const one = new Set(texts).size === 1;
  const text = one ? texts[0]! : `(CAST([${texts.join(', ')}] AS VARCHAR[]))[${at} + 1]`;
  return `CAST(${text} AS ${type})`;
}

/** Gives the fields of a nested value the names and the order that the table has for their ids. */
function rebuilt(
  value: string,
  file: FileColumn,
  field: TableField,
  at: { readonly url: string; readonly column: string },
): string {
  if (field.fields.length === 0 || isAlike(file, field)) return value;
  const [element] = field.fields;
  if (isList(field)) {
    const stored = elementOf(file);
    return stored === undefined
      ? value
      : `list_transform(${value}, lambda x: ${rebuilt('x', stored, element!, at)})`;
  }
  if (isMap(field))
    return fail('NOT_SUPPORTED', {
      what: `Column ${at.column} of ${at.url}, a map whose fields have changed since the file was written,`,
    });
  const items = field.fields.map((one) => {
    const stored = file.fields.find((its) => hasId(its, one));
    const inner = stored && rebuilt(`(${value}).${quoteName(stored.name)}`, stored, one, at);
    return `${quoteName(one.name)} := ${inner ?? 'NULL'}`;
  });
  return `CASE WHEN ${value} IS NULL THEN NULL ELSE struct_pack(${items.join(', ')}) END`;
}

const isList = ({ fields: [first, more] }: TableField): boolean => first?.name === 'element' && !more;
const isMap = ({ fields: [key, value] }: TableField): boolean =>
  key?.name === 'key' && value?.name === 'value';

/** The elements of a list, which are wrapped in one repeated group. */
const elementOf = (file: FileColumn): FileColumn | undefined => file.fields[0]?.fields[0] ?? file.fields[0];

/** Fields with a negative id have none in files. */
const hasId = ({ id }: FileColumn, field: TableField): boolean => field.id < 0 || id === field.id;

/** Whether a nested value has the names, the order and the ids of the table, or no ids at all. */
function isAlike(file: FileColumn, field: TableField): boolean {
  if (isList(field)) {
    const element = elementOf(file);
    return element === undefined || isAlike(element, field.fields[0]!);
  }
  const stored = isMap(field) ? (file.fields[0]?.fields ?? []) : file.fields;
  if (stored.every(({ id }) => id === undefined)) return true;
  return (
    stored.length === field.fields.length &&
    field.fields.every((one, i) => {
      const its = stored[i]!;
      return hasId(its, one) && (isMap(field) || its.name === one.name) && isAlike(its, one);
    })
  );
}
