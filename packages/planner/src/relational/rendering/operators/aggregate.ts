import type { PlanExpression } from '../../../plan-nodes.ts';
import { isReference } from '../../expressions/references.ts';
import type { AggregateRelation } from '../../relation.ts';
import { blockQuery, plainBlock, plainColumns, type QueryBlock } from '../query-block.ts';
import { over, type RenderScope, simpleBlock } from '../render-scope.ts';
import { sql } from '../sql-parts.ts';

/** `SELECT groups, aggregates, grouping(…) … GROUP BY …` */
export function renderAggregate(relation: AggregateRelation, scope: RenderScope): QueryBlock {
  const { groups, groupingSets, aggregates, groupingCalls } = relation;
  const { block, columns, keys } = grouped(simpleBlock(relation.input, scope), groups, scope);
  const named = (positions: readonly number[]) => positions.map((i) => keys[i] ?? '').join(', ');
  const sets = groupingSets.map((set) => `(${named(set)})`);
  const isPlain = groupingSets.length === 1 && groupingSets[0]?.length === groups.length;
  const groupBy = isPlain ? keys.join(', ') : `GROUPING SETS (${sets.join(', ')})`;
  const selected = [
    ...keys,
    ...aggregates.map((aggregate) => over(aggregate, columns)),
    ...groupingCalls.map((call) => `grouping(${named(call)})`),
  ];
  // A result without columns still needs an aggregate, so that it has one row.
  const isEmpty = selected.length === 0;
  return {
    ...block,
    columns: (isEmpty ? ['count(*)'] : selected).map((text) => [text]),
    isPlain: false,
    tail: groupBy === '' ? [] : [sql`GROUP BY ${groupBy}`],
  };
}

/**
 * The input with a column for each group. Computed groups, and groups that repeat a column, are computed
 * below, so that GROUP BY and SELECT refer to the same expression.
 */
function grouped(
  block: QueryBlock,
  groups: readonly PlanExpression[],
  scope: RenderScope,
): { readonly block: QueryBlock; readonly columns: readonly string[]; readonly keys: readonly string[] } {
  const columns = plainColumns(block);
  const keys = groups.map((group) => over(group, columns));
  if (groups.every(isReference) && new Set(keys).size === keys.length) return { block, columns, keys };
  const alias = scope.alias();
  const below: QueryBlock = {
    ...block,
    columns: [...columns, ...keys].map((text) => [text]),
    isPlain: false,
  };
  const names = below.columns.map((_, i) => `${alias}.c${i}`);
  return {
    block: plainBlock(sql`(${blockQuery(below)}) AS ${alias}`, names),
    columns: names,
    keys: names.slice(columns.length),
  };
}
