import type { SampleRelation } from '../../relation.ts';
import { plainBlock, type QueryBlock } from '../query-block.ts';
import { type RenderScope, source } from '../render-scope.ts';
import { sql } from '../sql-parts.ts';

/** `… USING SAMPLE …` */
export function renderSample({ input, sql: how }: SampleRelation, scope: RenderScope): QueryBlock {
  const { from, columns } = source(input, scope);
  return { ...plainBlock(from, columns), tail: [sql`USING SAMPLE ${how}`] };
}
