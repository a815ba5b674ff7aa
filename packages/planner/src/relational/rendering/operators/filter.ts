import type { FilterRelation } from '../../relation.ts';
import { plainColumns, type QueryBlock } from '../query-block.ts';
import { over, type RenderScope, simpleBlock } from '../render-scope.ts';

/** `… WHERE predicates` */
export function renderFilter({ input, predicates }: FilterRelation, scope: RenderScope): QueryBlock {
  const block = simpleBlock(input, scope);
  const columns = plainColumns(block);
  return { ...block, where: [...block.where, ...predicates.map((predicate) => over(predicate, columns))] };
}
