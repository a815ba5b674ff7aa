import type { PlanType } from '../../plan-nodes.ts';
import { unsupported } from '../unsupported-plan.ts';
import { typeSql } from './type-sql.ts';

/**
 * NULL of exactly a type, including types that SQL cannot name because they contain structs with unnamed
 * fields.
 */
export function nullSql(type: PlanType): string {
  if (type.id === 'NULL') return 'NULL';
  return isNameable(type) ? `CAST(NULL AS ${typeSql(type)})` : `CASE WHEN false THEN ${exampleSql(type)} END`;
}

/** Whether a cast can name the type. */
export function isNameable({ id, type_info }: PlanType): boolean {
  const child = type_info?.child_type;
  // A union stores the number of its member in an unnamed first field.
  const fields = (type_info?.child_types ?? []).slice(id === 'UNION' ? 1 : 0);
  return (
    (child === undefined || isNameable(child)) &&
    fields.every(({ first = '', second }) => first !== '' && isNameable(second))
  );
}

/** An arbitrary value of the type. */
export function exampleSql(type: PlanType): string {
  if (isNameable(type)) return nullSql(type);
  const { child_type, child_types = [] } = type.type_info ?? {};
  if (type.id === 'LIST' && child_type !== undefined) return `[${exampleSql(child_type)}]`;
  const isUnnamed = child_types.every(({ first }) => first === undefined || first === '');
  if (type.id === 'STRUCT' && isUnnamed)
    return `row(${child_types.map(({ second }) => exampleSql(second)).join(', ')})`;
  return unsupported(`a value of the type ${type.id} without names`);
}
