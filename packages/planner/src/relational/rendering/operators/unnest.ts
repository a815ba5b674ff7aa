import type { UnnestRelation } from '../../relation.ts';
import { plainColumns, type QueryBlock } from '../query-block.ts';
import { nested, over, type RenderScope, simpleBlock } from '../render-scope.ts';

/** `SELECT columns, unnest(…) …`: lists side by side, short ones filled with NULLs. */
export function renderUnnest({ input, unnests }: UnnestRelation, scope: RenderScope): QueryBlock {
  const block = simpleBlock(input, scope);
  const columns = plainColumns(block);
  const unnested: QueryBlock = {
    ...block,
    columns: [...columns, ...unnests.map((unnest) => over(unnest, columns))].map((text) => [text]),
    isPlain: false,
  };
  // Its rows are there by the lists: who picks other columns only must not lose them.
  return nested(unnested, scope);
}
