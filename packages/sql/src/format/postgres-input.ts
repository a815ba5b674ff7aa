import { checkedCast } from '../types/checked-cast.ts';
import { kernelTypeSql } from '../types/column-type.ts';
import type { SqlType } from '../types/sql-type.ts';
import { lambdaName } from './lambda-name.ts';

/**
 * SQL that parses PostgreSQL's text form of a value, the inverse of `postgresText`; it fails for an invalid
 * text. Arrays arrive as JSON arrays of the texts of their elements (`arrayJson`).
 */
export function postgresInput(type: SqlType, text: string): string {
  switch (type.kind) {
    case 'text':
    case 'geography':
      return text;
    case 'boolean':
      return `tsr_pg_in_boolean(${text})`;
    case 'bytea':
      return `tsr_pg_in_bytea(${text})`;
    case 'date':
      return checkedCast('tsr_date_text', text, 'DATE');
    case 'timestamp':
      return checkedCast('tsr_timestamp_text', text, 'TIMESTAMP');
    case 'timestamptz':
      return checkedCast('tsr_instant_text', text, 'TIMESTAMPTZ');
    case 'int':
    case 'long':
      return checkedCast('tsr_integer_text', text, kernelTypeSql(type));
    case 'float':
      return checkedCast('tsr_real_text', text, 'FLOAT');
    case 'double':
      return checkedCast('tsr_double_text', text, 'DOUBLE');
    case 'struct':
      return `CAST(CAST(${text} AS JSON) AS ${kernelTypeSql(type)})`;
    case 'array':
      return elements(type, `CAST(CAST(${text} AS JSON) AS ${textsOf(type)})`);
    default:
      return `CAST(${text} AS ${kernelTypeSql(type)})`;
  }
}

const textsOf = (type: SqlType): string => (type.kind === 'array' ? `${textsOf(type.element)}[]` : 'VARCHAR');

function elements({ element }: Extract<SqlType, { kind: 'array' }>, texts: string): string {
  const name = lambdaName(texts);
  const value = element.kind === 'array' ? elements(element, name) : postgresInput(element, name);
  return value === name ? texts : `list_transform(${texts}, lambda ${name}: ${value})`;
}
