import { isReference } from '../../expressions/references.ts';
import type { ProjectRelation } from '../../relation.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { plainColumns, type QueryBlock } from '../query-block.ts';
import { over, type RenderScope, simplified } from '../render-scope.ts';

/**
 * `SELECT expressions …`. Columns that are only picked are picked in place, even out of a sorted or limited block; computed
 * ones are not, as without an `unnest` or an aggregate there would be other rows, and a volatile one would have two values.
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
