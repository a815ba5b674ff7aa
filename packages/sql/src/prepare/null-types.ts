import { type BindingSession, typeToSql } from '@tessera/kernel';
import { isNullLiteral } from '../functions/expressions.ts';
import { deparse } from '../parse/parse.ts';
import type { ConvertedColumn } from '../relations/prepare-context.ts';
import { type CastNode, type Expression, type Statement, someExpression, transformTree } from '../tree.ts';
import { someOf } from './sample-value.ts';

/**
 * Corrects the types of calls with a NULL that has a type: `round(1.25, NULL::INTEGER)` is NUMERIC, while the kernel sees that it is NULL
 * and gives it the type that a NULL alone has. The kernel is asked for the types of the same query with values instead of the NULLs.
 */
export async function nullTypes(
  session: BindingSession,
  statement: Statement,
  columns: readonly ConvertedColumn[],
): Promise<readonly ConvertedColumn[]> {
  const { node } = statement;
  if (node.type !== 'SELECT_NODE' || node.select_list.length !== columns.length) return columns;
  const isAffected = columns.map(
    ({ type }, i) => type.id === 'INTEGER' && callsWithNull(node.select_list[i]!),
  );
  if (!isAffected.includes(true)) return columns;
  const probe = transformTree(statement, {
    expression: (part) => (isTypedNull(part) ? { ...someOf(part.cast_type), alias: part.alias } : part),
  });
  const values = await session.describe(await deparse(session, probe)).catch(() => undefined);
  if (values === undefined) return columns;
  return columns.map((column, i) => {
    const type = isAffected[i] ? values.columns[i]!.type : column.type;
    return type.id === column.type.id ? column : { ...column, type, convertTo: typeToSql(type) };
  });
}

const isTypedNull = (node: Expression): node is CastNode => node.class === 'CAST' && isNullLiteral(node);

const callsWithNull = (node: Expression): boolean =>
  node.class === 'FUNCTION' && someExpression(node, isTypedNull);
