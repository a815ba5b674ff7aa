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
 * The rows of a query for DataRow messages. Text columns are VARCHAR in PostgreSQL's text form. Binary
 * columns remain values of the kernel, except JSON and structs, which become text; `jsonb` begins with the version of its
 * format.
 */
export function postgresRowsQuery(query: RunnableQuery, formats: readonly ValueFormat[]): string {
  const items = query.columns.map(({ type }, i) => {
    const name = `c${i}`;
    const value = valueFormat(formats, i) === 'text' ? postgresText(type, name) : binarySource(type, name);
    return `${value} AS ${quoteName(name)}`;
  });
  return items.length === 0 ? query.sql : `SELECT ${items.join(', ')} FROM ${asRelation(query)}`;
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
