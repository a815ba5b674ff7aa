import { isReference } from '../../expressions/references.ts';
import type {
  DistinctRelation,
  FilterRelation,
  ProjectRelation,
  SampleRelation,
  UnnestRelation,
  WindowRelation,
} from '../../relation.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { plainBlock, plainColumns, type QueryBlock } from '../query-block.ts';
import { nested, over, type RenderScope, simpleBlock, simplified, source } from '../render-scope.ts';
import { sql } from '../sql-parts.ts';
import { sortKeySql } from './order.ts';

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

/** `… WHERE predicates` */
export function renderFilter({ input, predicates }: FilterRelation, scope: RenderScope): QueryBlock {
  const block = simpleBlock(input, scope);
  const columns = plainColumns(block);
  return { ...block, where: [...block.where, ...predicates.map((predicate) => over(predicate, columns))] };
}

/** `… USING SAMPLE …` */
export function renderSample({ input, sql: how }: SampleRelation, scope: RenderScope): QueryBlock {
  const { from, columns } = source(input, scope);
  return { ...plainBlock(from, columns), tail: [sql`USING SAMPLE ${how}`] };
}

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
