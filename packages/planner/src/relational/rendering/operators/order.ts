import type { PlanExpression } from '../../../plan-nodes.ts';
import { references } from '../../expressions/references.ts';
import type { LimitRelation, Relation, SortKey, SortRelation } from '../../relation.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { blockQuery, plainBlock, plainColumns, type QueryBlock } from '../query-block.ts';
import { over, type RenderScope, simpleBlock } from '../render-scope.ts';
import { sql } from '../sql-parts.ts';

/** `… ORDER BY keys` */
export function renderSort({ input, keys }: SortRelation, scope: RenderScope): QueryBlock {
  const block = simpleBlock(input, scope);
  return { ...block, tail: [orderBy(keys, plainColumns(block))] };
}

const orderBy = (keys: readonly SortKey[], columns: readonly string[]) =>
  keys.length === 0
    ? unsupported('an order by nothing')
    : sql`ORDER BY ${keys.map((key) => sortKeySql(key, columns)).join(', ')}`;

export const sortKeySql = (
  { expression, descending, nullsFirst }: SortKey,
  columns: readonly string[],
): string =>
  `${over(expression, columns)} ${descending ? 'DESC' : 'ASC'} NULLS ${nullsFirst ? 'FIRST' : 'LAST'}`;

/** `… LIMIT n OFFSET m`, after the ORDER BY of the sort below. */
export function renderLimit(relation: LimitRelation, scope: RenderScope): QueryBlock {
  const { input, limit, offset } = relation;
  const isOverRows = [limit, offset].some((number) => number !== undefined && references(number).size > 0);
  if (isOverRows) return limitOverRows(relation, scope);
  const block = sortedBlock(input, scope);
  return { ...block, tail: [...block.tail, limitSql(relation, (number) => over(number, []))] };
}

/** A block that ends in ORDER BY, if the input is one. */
function sortedBlock(input: Relation, scope: RenderScope): QueryBlock {
  return input.kind === 'sort' ? renderSort(input, scope) : simpleBlock(input, scope);
}

function limitSql(
  { limit, offset, isPercent }: LimitRelation,
  number: (expression: PlanExpression) => string,
): string[] {
  const parts = [
    ...(limit === undefined ? [] : [`LIMIT (${number(limit)})${isPercent ? ' %' : ''}`]),
    ...(offset === undefined ? [] : [`OFFSET (${number(offset)})`]),
  ];
  return [parts.join(' ')];
}

/**
 * The numbers are columns of the input with the same value in every row (a subquery's value). They are read
 * from the rows, which are therefore computed only once.
 */
function limitOverRows(relation: LimitRelation, scope: RenderScope): QueryBlock {
  const sort = relation.input.kind === 'sort' ? relation.input : undefined;
  const rows = simpleBlock(sort?.input ?? relation.input, scope);
  const name = `"$${scope.alias()}"`;
  const alias = scope.alias();
  const columns = rows.columns.map((_, i) => `${alias}.c${i}`);
  const lookup = (expression: PlanExpression) => {
    const inner = scope.alias();
    const value = over(
      expression,
      rows.columns.map((_, i) => `${inner}.c${i}`),
    );
    return `SELECT first(${value}) FROM ${name} AS ${inner}`;
  };
  return {
    ...plainBlock(sql`${name} AS ${alias}`, columns),
    with: sql`WITH ${name} AS MATERIALIZED (${blockQuery(rows)})`,
    tail: [...(sort === undefined ? [] : [orderBy(sort.keys, columns)]), limitSql(relation, lookup)],
  };
}
