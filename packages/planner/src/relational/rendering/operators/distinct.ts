import type { DistinctRelation } from '../../relation.ts';
import { plainColumns, type QueryBlock } from '../query-block.ts';
import { over, type RenderScope, simpleBlock } from '../render-scope.ts';
import { sql } from '../sql-parts.ts';
import { sortKeySql } from './order.ts';

/**
 * Renders `SELECT DISTINCT …`, or `SELECT DISTINCT ON (…) … ORDER BY …`, which keeps the first row of each
 * key.
 */
export function renderDistinct({ input, on, order }: DistinctRelation, scope: RenderScope): QueryBlock {
  const block = simpleBlock(input, scope);
  const columns = plainColumns(block);
  if (on === undefined) return { ...block, distinct: ['DISTINCT '] };
  const keys = on.map((expression) => over(expression, columns)).join(', ');
  return {
    ...block,
    distinct: [`DISTINCT ON (${keys}) `],
    tail:
      order.length === 0 ? [] : [sql`ORDER BY ${order.map((key) => sortKeySql(key, columns)).join(', ')}`],
  };
}
