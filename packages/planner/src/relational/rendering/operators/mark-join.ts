import type { SqlTemplate } from '../../../distribution/distributed-plan.ts';
import type { JoinCondition, JoinRelation } from '../../relation.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { plainBlock, type QueryBlock } from '../query-block.ts';
import { over, type RenderScope, source } from '../render-scope.ts';
import { sql } from '../sql-parts.ts';
import { conditionSql } from './join-condition.ts';

/**
 * `SELECT left, x IN (SELECT y FROM right WHERE …) …`. Conditions that hold for NULLs too come of a correlation: they say
 * which rows are compared with. The others compare; without any it is whether there is such a row.
 */
export function renderMarkJoin(relation: JoinRelation, scope: RenderScope): QueryBlock {
  const { conditions, residual, isAsof } = relation;
  if (residual.length > 0 || isAsof) return unsupported('a mark join with other conditions');
  const left = source(relation.left, scope);
  const right = source(relation.right, scope);
  const isCorrelation = ({ comparison }: JoinCondition) => comparison === 'IS NOT DISTINCT FROM';
  const correlations = conditions.filter(isCorrelation);
  const compared = conditions.filter((condition) => !isCorrelation(condition));
  const where = correlations.map((condition) => conditionSql(condition, left.columns, right.columns));
  const rows = (columns: string): SqlTemplate =>
    sql`SELECT ${columns} FROM ${right.from}${where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`}`;
  const mark = markSql(compared, left.columns, right.columns, rows);
  return {
    ...plainBlock(left.from, left.columns),
    columns: [...left.columns.map((column) => [column]), mark],
    isPlain: false,
  };
}

function markSql(
  compared: readonly JoinCondition[],
  lefts: readonly string[],
  rights: readonly string[],
  rows: (columns: string) => SqlTemplate,
): SqlTemplate {
  const [first, ...others] = compared;
  if (first === undefined) return sql`EXISTS (${rows('1')})`;
  if (compared.some(({ comparison }) => comparison === 'IS DISTINCT FROM'))
    return unsupported('a mark join by IS DISTINCT FROM');
  if (others.length === 0) {
    const operator = first.comparison === '=' ? 'IN' : `${first.comparison} ANY`;
    return sql`(${over(first.left, lefts)} ${operator} (${rows(over(first.right, rights))}))`;
  }
  if (compared.some(({ comparison }) => comparison !== '='))
    return unsupported('a mark join by several comparisons');
  const subjects = compared.map(({ left }) => over(left, lefts)).join(', ');
  return sql`((${subjects}) IN (${rows(compared.map(({ right }) => over(right, rights)).join(', '))}))`;
}
