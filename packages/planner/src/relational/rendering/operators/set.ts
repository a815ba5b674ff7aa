import type { SetRelation } from '../../relation.ts';
import { blockQuery, plainBlock, type QueryBlock } from '../query-block.ts';
import type { RenderScope } from '../render-scope.ts';
import { joinSql, sql } from '../sql-parts.ts';

/** `(…) UNION ALL (…)` */
export function renderSet(
  { operation, isAll, inputs, columns }: SetRelation,
  scope: RenderScope,
): QueryBlock {
  const operator = ` ${operation.toUpperCase()}${isAll ? ' ALL' : ''} `;
  const queries = inputs.map((input) => sql`(${blockQuery(scope.render(input))})`);
  const alias = scope.alias();
  return plainBlock(
    sql`(${joinSql(queries, operator)}) AS ${alias}`,
    columns.map((_, i) => `${alias}.c${i}`),
  );
}
