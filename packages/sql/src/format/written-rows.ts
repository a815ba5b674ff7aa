import type { CellText, RowText } from '@tessera/kernel';
import type { RunnableQuery } from '../relations/prepare-context.ts';
import type { OutputColumn, SqlType } from '../types/sql-type.ts';
import { asRelation, type RowEncoding } from './formatted-query.ts';
import { floatText, jsonInput } from './json-value.ts';
import { textValue } from './text-value.ts';

/** A query of values, and how its rows become the text that `formattedQuery` makes of them. */
export interface WrittenRows {
  readonly sql: string;
  readonly rowText: RowText;
}

/** The values of a column in the kernel's SQL, and what becomes of them; the other members have defaults. */
interface Cell extends Partial<Omit<CellText, 'before'>> {
  readonly form: CellText['form'];
  readonly value: string;
}

/**
 * Rows that are written from values instead of by expressions of the kernel, which take longer to plan than few rows to
 * write. Undefined if a format has no such way.
 */
export function writtenRows(query: RunnableQuery, { format, limit }: RowEncoding): WrittenRows | undefined {
  const { columns } = query;
  switch (format) {
    case 'tsv':
      return written(query, limit, { start: '', end: '\n', separator: '\t', ifNull: '\\N', cell: tsvCell });
    case 'csv':
      return written(query, limit, { start: '', end: '\n', separator: ',', ifNull: '', cell: csvCell });
    case 'json_array':
      return written(query, limit, { ...JSON_ROW, start: ',[', end: ']' });
    case 'json_object':
      return written(query, limit, { ...JSON_ROW, start: ',{', end: '}', names: columns.map(jsonName) });
    case 'vertical':
      return undefined;
  }
}

interface RowForm extends Pick<RowText, 'start' | 'end'>, Pick<CellText, 'ifNull'> {
  readonly separator: string;
  readonly cell: (type: SqlType, value: string) => Cell;
  /** The text before the value of each column, such as its name in JSON. */
  readonly names?: readonly string[];
}

function written(
  query: RunnableQuery,
  limit: number | undefined,
  { start, end, separator, ifNull, cell, names }: RowForm,
): WrittenRows {
  const cells = query.columns.map(({ type }, i) => cell(type, `c${i}`));
  const texts = cells.map(({ value: _, ...rest }, i) => ({
    ...{ before: `${i === 0 ? '' : separator}${names?.[i] ?? ''}`, ifNull, open: '', close: '' },
    ...rest,
  }));
  const isPlain = limit === undefined && cells.every(({ value }, i) => value === `c${i}`);
  return {
    sql: isPlain ? query.sql : valuesQuery(query, cells, limit),
    rowText: { start, cells: texts, end },
  };
}

function valuesQuery(query: RunnableQuery, cells: readonly Cell[], limit: number | undefined): string {
  const values = cells.map(({ value }) => value).join(', ');
  return `SELECT ${values} FROM ${asRelation(query)}${limit === undefined ? '' : ` LIMIT ${limit}`}`;
}

const tsvCell = delimitedCell('tsv', '\\\\x');
const csvCell = delimitedCell('csv', '\\x');

/** @param hexPrefix the text of a bytea begins with it, in the escapes of the format */
function delimitedCell(form: 'tsv' | 'csv', hexPrefix: string): RowForm['cell'] {
  return (type, value) => {
    switch (type.kind) {
      case 'text':
      case 'json':
        return { form, value };
      case 'geography':
        return { form, value: varchar(value) };
      case 'array':
      case 'struct':
        return { form, value: textValue(type, value) };
      case 'bytea':
        return { form: 'hex', value, open: hexPrefix };
      default:
        return unescapedCell(type, value);
    }
  };
}

/** A value of a type without texts that a format escapes. */
function unescapedCell({ kind }: SqlType, value: string): Cell {
  switch (kind) {
    case 'int':
    case 'long':
      return { form: 'integer', value };
    case 'boolean':
      return { form: 'letter', value };
    case 'float':
    case 'double':
      return { form: 'number', value: floatText(value) };
    default:
      return { form: 'text', value: varchar(value) };
  }
}

const JSON_ROW: Omit<RowForm, 'start' | 'end'> = { separator: ',', ifNull: 'null', cell: jsonCell };
const QUOTED = { open: '"', close: '"' } as const;

function jsonCell(type: SqlType, value: string): Cell {
  switch (type.kind) {
    case 'int':
      return { form: 'integer', value };
    case 'long':
      return { form: 'integer', value, ...QUOTED };
    case 'boolean':
      return { form: 'word', value };
    case 'text':
    case 'json':
      return { form: 'json', value, ...QUOTED };
    case 'geography':
      return { form: 'json', value: varchar(value), ...QUOTED };
    case 'bytea':
      return { form: 'hex', value, open: '"\\\\x', close: '"' };
    case 'float':
    case 'double':
    case 'array':
    case 'struct':
      return { form: 'text', value: varchar(`to_json(${jsonInput(type, value)})`) };
    default:
      return { form: 'text', value: varchar(value), ...QUOTED };
  }
}

const varchar = (value: string): string => `CAST(${value} AS VARCHAR)`;

/** The kernel writes the digits of control characters in upper case. */
const jsonName = ({ name }: OutputColumn): string =>
  `${JSON.stringify(name).replace(/\\u[0-9a-f]{4}/g, (escaped) => `\\u${escaped.slice(2).toUpperCase()}`)}:`;
