import type { WindowRelation } from '../../relation.ts';
import { plainColumns, type QueryBlock } from '../query-block.ts';
import { over, type RenderScope, simpleBlock } from '../render-scope.ts';

/** `SELECT columns, windows …` */
export function renderWindow({ input, windows }: WindowRelation, scope: RenderScope): QueryBlock {
  const block = simpleBlock(input, scope);
  const columns = plainColumns(block);
  return {
    ...block,
    columns: [...columns, ...windows.map((window) => over(window, columns))].map((text) => [text]),
    isPlain: false,
  };
}
