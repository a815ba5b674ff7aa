import type { UnnestRelation } from '../../relation.ts';
import { plainColumns, type QueryBlock } from '../query-block.ts';
import { nested, over, type RenderScope, simpleBlock } from '../render-scope.ts';

/**
 * Renders `SELECT columns, unnest(…) …`: lists are unnested in parallel, and shorter ones are padded with
 * NULLs.
 */
export function renderUnnest({ input, unnests }: UnnestRelation, scope: RenderScope): QueryBlock {
  const block = simpleBlock(input, scope);
  const columns = plainColumns(block);
  const unnested: QueryBlock = {
    ...block,
    columns: [...columns, ...unnests.map((unnest) => over(unnest, columns))].map((text) => [text]),
    isPlain: false,
  };
  // The number of rows depends on the lists, so an operator above that selects other columns must not drop
  // the unnest.
  return nested(unnested, scope);
}
