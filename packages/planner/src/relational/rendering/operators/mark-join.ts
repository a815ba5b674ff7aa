import type { SqlTemplate } from '../../../distributed-plan.ts';
import type { JoinCondition, JoinRelation } from '../../relation.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { blockQuery, plainBlock, type QueryBlock } from '../query-block.ts';
import { over, type RenderScope, source } from '../render-scope.ts';
import { sql } from '../sql-parts.ts';
import { conditionSql } from './join-condition.ts';

/**
 * Renders a mark join. Null-safe conditions come from a correlation: they select the rows to compare with.
 * The other conditions compare as IN and ANY do; without any, the mark is whether such a row exists.
 */
export function renderMarkJoin(relation: JoinRelation, scope: RenderScope): QueryBlock {
  const { conditions, residual, isAsof } = relation;
  if (residual.length > 0 || isAsof) return unsupported('a mark join with other conditions');
  const correlations = conditions.filter(isCorrelation);
  if (correlations.length === 0) return membership(relation, scope);
  return correlations.length === conditions.length
    ? existence(relation, scope)
    : correlatedMembership(relation, scope);
}

const isCorrelation = ({ comparison }: JoinCondition): boolean => comparison === 'IS NOT DISTINCT FROM';

/** `SELECT left, x IN (SELECT y FROM right)` */
function membership(relation: JoinRelation, scope: RenderScope): QueryBlock {
  const left = source(relation.left, scope);
  const right = source(relation.right, scope);
  const mark = comparisonSql(
    relation.conditions,
    left.columns,
    right.columns,
    (columns) => sql`SELECT ${columns} FROM ${right.from}`,
  );
  return marked(left, mark);
}

/** `SELECT left, r.found IS NOT NULL FROM left LEFT JOIN (SELECT DISTINCT keys, true AS found FROM right) AS r ON …` */
function existence({ left, right, conditions }: JoinRelation, scope: RenderScope): QueryBlock {
  const outer = source(left, scope);
  const inner = source(right, scope);
  const rows = scope.alias();
  const keys = conditions.map((condition, i) => `${over(condition.right, inner.columns)} AS k${i}`);
  const on = conditions.map(
    ({ left: key }, i) => `(${over(key, outer.columns)} IS NOT DISTINCT FROM ${rows}.k${i})`,
  );
  const distinct = sql`(SELECT DISTINCT ${keys.join(', ')}, true AS found FROM ${inner.from}) AS ${rows}`;
  const from = sql`${outer.from} LEFT JOIN ${distinct} ON ${on.join(' AND ')}`;
  return marked({ from, columns: outer.columns }, [`(${rows}.found IS NOT NULL)`]);
}

/**
 * `WITH r AS (right) SELECT left, x IN (SELECT y FROM r WHERE …)`. The right side is a named CTE, so that the
 * kernel does not search it for the correlation.
 */
function correlatedMembership({ left, right, conditions }: JoinRelation, scope: RenderScope): QueryBlock {
  const outer = source(left, scope);
  const name = `"$${scope.alias()}"`;
  const inner = scope.alias();
  const columns = right.columns.map((_, i) => `${inner}.c${i}`);
  const where = conditions
    .filter(isCorrelation)
    .map((condition) => conditionSql(condition, outer.columns, columns));
  const mark = comparisonSql(
    conditions.filter((condition) => !isCorrelation(condition)),
    outer.columns,
    columns,
    (selected) => sql`SELECT ${selected} FROM ${name} AS ${inner} WHERE ${where.join(' AND ')}`,
  );
  return {
    ...marked(outer, mark),
    with: sql`WITH ${name} AS MATERIALIZED (${blockQuery(scope.render(right))})`,
  };
}

const marked = (
  { from, columns }: { readonly from: SqlTemplate; readonly columns: readonly string[] },
  mark: SqlTemplate,
): QueryBlock => ({
  ...plainBlock(from, columns),
  columns: [...columns.map((column) => [column]), mark],
  isPlain: false,
});

function comparisonSql(
  compared: readonly JoinCondition[],
  lefts: readonly string[],
  rights: readonly string[],
  rows: (columns: string) => SqlTemplate,
): SqlTemplate {
  const [first, ...others] = compared;
  if (first === undefined) return sql`EXISTS (${rows('1')})`;
  if (compared.some(({ comparison }) => comparison.startsWith('IS ')))
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
