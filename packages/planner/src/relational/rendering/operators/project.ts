import { isReference } from '../../expressions/references.ts';
import type { ProjectRelation } from '../../relation.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { plainColumns, type QueryBlock } from '../query-block.ts';
import { over, type RenderScope, simplified } from '../render-scope.ts';

/**
 * Renders `SELECT expressions …`. Plain columns are selected in place, even from a sorted or limited block.
 * Computed expressions are not: an `unnest` or aggregate in the block would give other rows, and a volatile
 * expression would be evaluated twice.
 */
export function renderProject({ input, expressions }: ProjectRelation, scope: RenderScope): QueryBlock {
  const block = scope.render(input);
  if (block.isPlain && block.distinct === undefined && expressions.every(isReference))
    return {
      ...block,
      columns: expressions.map(
        ({ index }) => block.columns[index] ?? unsupported('a column beyond the input'),
      ),
    };
  const simple = simplified(block, scope);
  const columns = plainColumns(simple);
  return { ...simple, columns: expressions.map((expression) => [over(expression, columns)]), isPlain: false };
}
