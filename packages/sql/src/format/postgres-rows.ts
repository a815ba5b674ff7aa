import { quoteName } from '@tessera/kernel';
import type { RunnableQuery } from '../relations/prepare-context.ts';
import type { SqlType } from '../types/sql-type.ts';
import { asRelation } from './formatted-query.ts';
import { lambdaName } from './lambda-name.ts';
import { isJsonbColumn, jsonDocument, postgresText, structJson } from './postgres-text.ts';

/** The encoding of a value in the PostgreSQL protocol. */
export type ValueFormat = 'text' | 'binary';

/**
 * The format of column or parameter `i` by the protocol's rule: an empty list means text for all, a list of
 * one applies to all.
 */
export const valueFormat = (formats: readonly ValueFormat[], i: number): ValueFormat =>
  (formats.length === 1 ? formats[0] : formats[i]) ?? 'text';

/**
 * The rows of a query for DataRow messages, from whose values the cells are written. In text format these are values or texts
 * of the kernel where a cell is cheaper to write from them than PostgreSQL's text is to plan, which matters most for short
 * queries; other columns are VARCHAR in PostgreSQL's text form. Columns in binary format remain values of the kernel, except JSON
 * and structs, which become text; `jsonb` begins with the version of its format.
 */
export function postgresRowsQuery(
  query: RunnableQuery,
  formats: readonly ValueFormat[],
  timeZone: string,
): string {
  const names = query.columns.map((_, i) => `c${i}`);
  const values = query.columns.map(({ type }, i) => {
    const isText = valueFormat(formats, i) === 'text';
    return isText ? textSource(type, names[i]!, timeZone) : binarySource(type, names[i]!);
  });
  if (values.every((value, i) => value === names[i])) return query.sql;
  const items = values.map((value, i) => `${value} AS ${quoteName(names[i]!)}`);
  return `SELECT ${items.join(', ')} FROM ${asRelation(query)}`;
}

function textSource(type: SqlType, value: string, timeZone: string): string {
  switch (type.kind) {
    case 'int':
    case 'long':
    case 'boolean':
    case 'bytea':
      return value;
    case 'float':
    case 'double':
    case 'date':
    case 'timestamp':
      return `CAST(${value} AS VARCHAR)`;
    case 'timestamptz':
      // Offsets of other zones had seconds once, which the kernel omits.
      return timeZone === 'UTC' ? `CAST(${value} AS VARCHAR)` : postgresText(type, value);
    default:
      return postgresText(type, value);
  }
}

function binarySource(type: SqlType, value: string): string {
  switch (type.kind) {
    case 'json':
      return isJsonbColumn(type) ? `chr(1) || ${jsonDocument(type, value)}` : jsonDocument(type, value);
    case 'struct':
      return structJson(type, value);
    case 'array': {
      const name = lambdaName(value);
      const item = binarySource(type.element, name);
      return item === name ? value : `list_transform(${value}, lambda ${name}: ${item})`;
    }
    default:
      return value;
  }
}
