import { quoteIdentifier } from '@tessera/sql';
import type { PlanType } from '../../plan-nodes.ts';
import { unsupported } from '../unsupported-plan.ts';

/** Types whose SQL name equals the id in the plan. */
const PLAIN = new Set([
  'BOOLEAN',
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'HUGEINT',
  'UTINYINT',
  'USMALLINT',
  'UINTEGER',
  'UBIGINT',
  'UHUGEINT',
  'FLOAT',
  'DOUBLE',
  'VARCHAR',
  'BLOB',
  'BIT',
  'DATE',
  'TIME',
  'TIME_NS',
  'TIME WITH TIME ZONE',
  'TIMESTAMP',
  'TIMESTAMP_S',
  'TIMESTAMP_MS',
  'TIMESTAMP_NS',
  'TIMESTAMP WITH TIME ZONE',
  'INTERVAL',
  'UUID',
  'BIGNUM',
]);

/** Renders a type for casts and definitions. @throws UnsupportedPlan */
export function typeSql({ id, type_info: info }: PlanType): string {
  const alias = info?.alias;
  if (alias !== undefined && alias !== '')
    return alias === 'JSON' ? 'JSON' : unsupported(`the type ${alias}`);
  if (PLAIN.has(id)) return id;
  switch (id) {
    case 'NULL':
      return '"NULL"';
    case 'DECIMAL':
      return `DECIMAL(${info?.width ?? 18},${info?.scale ?? 3})`;
    case 'LIST':
      return `${childSql(info?.child_type)}[]`;
    case 'ARRAY':
      return `${childSql(info?.child_type)}[${info?.size ?? unsupported('an array without its size')}]`;
    case 'STRUCT':
      return `STRUCT(${fieldsSql(info?.child_types ?? [])})`;
    case 'MAP': {
      const entry = info?.child_type?.type_info?.child_types ?? info?.child_types ?? [];
      const [key, value] = entry;
      if (key === undefined || value === undefined) return unsupported('a map without its types');
      return `MAP(${typeSql(key.second)}, ${typeSql(value.second)})`;
    }
    case 'UNION': {
      const [, ...members] = info?.child_types ?? [];
      return `UNION(${fieldsSql(members)})`;
    }
    case 'ENUM':
      return `ENUM(${(info?.values ?? unsupported('an enum without its values')).map(quotedText).join(', ')})`;
    default:
      return unsupported(`the type ${id}`);
  }
}

export const quotedText = (text: string): string =>
  text.includes('\0') ? unsupported('text with a null character') : `'${text.replaceAll("'", "''")}'`;

const childSql = (type: PlanType | undefined): string =>
  type === undefined ? unsupported('a type without what it is made of') : typeSql(type);

function fieldsSql(fields: readonly { readonly first?: string; readonly second: PlanType }[]): string {
  if (fields.length === 0 || fields.some(({ first }) => first === undefined || first === ''))
    return unsupported('the type of a struct without names');
  return fields.map(({ first = '', second }) => `${quoteIdentifier(first)} ${typeSql(second)}`).join(', ');
}
