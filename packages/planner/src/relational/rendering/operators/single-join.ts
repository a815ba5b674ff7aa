import type { JoinRelation } from '../../relation.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { blockQuery, plainBlock, type QueryBlock } from '../query-block.ts';
import { nested, over, type RenderScope, source } from '../render-scope.ts';
import { joinSql, sql } from '../sql-parts.ts';
import { conditionSql } from './join-condition.ts';

/** The kernel's own message. */
const ERROR = `More than one row returned by a subquery used as an expression - scalar subqueries can only return a single row.

Use "SET scalar_subquery_error_on_multiple_rows=false" to revert to previous behavior of returning a random row.`;

/** Renders a left join that fails for a second match. */
export function renderSingleJoin(relation: JoinRelation, scope: RenderScope): QueryBlock {
  const { conditions, residual, isAsof } = relation;
  if (isAsof) return unsupported('a single ASOF join');
  const isByKeys = conditions.every(
    ({ comparison }) => comparison === '=' || comparison === 'IS NOT DISTINCT FROM',
  );
  return isByKeys && conditions.length > 0 && residual.length === 0
    ? byKeys(relation, scope)
    : bySubquery(relation, scope);
}

/** `left LEFT JOIN (SELECT keys, first(right), count(*) … GROUP BY keys) … WHERE not more than one` */
function byKeys({ left, right, conditions }: JoinRelation, scope: RenderScope): QueryBlock {
  const outer = source(left, scope);
  const inner = source(right, scope);
  const keys = conditions.map((condition) => over(condition.right, inner.columns));
  const rows = scope.alias();
  const grouped = joinSql(
    [
      ...keys.map((key, i) => sql`${key} AS k${String(i)}`),
      ...inner.columns.map((column, i) => sql`first(${column}) AS c${String(i)}`),
      ['count(*) AS n'],
    ],
    ', ',
  );
  const places = keys.map((_, i) => i + 1).join(', ');
  const on = conditions.map(
    ({ comparison, left: key }, i) => `(${over(key, outer.columns)} ${comparison} ${rows}.k${i})`,
  );
  return {
    ...plainBlock(
      sql`${outer.from} LEFT JOIN (SELECT ${grouped} FROM ${inner.from} GROUP BY ${places}) AS ${rows} ON ${on.join(' AND ')}`,
      [...outer.columns, ...inner.columns.map((_, i) => `${rows}.c${i}`)],
      true,
    ),
    where: [`CASE WHEN ${rows}.n > 1 THEN CAST(error('${ERROR}') AS BOOLEAN) ELSE true END`],
  };
}

/**
 * `WITH r AS (right) SELECT left, (SELECT {right} FROM r WHERE …)`: the kernel raises the error itself. The
 * right side is a named CTE, so that the kernel does not search it for the correlation.
 */
function bySubquery({ left, right, conditions, residual }: JoinRelation, scope: RenderScope): QueryBlock {
  const outer = source(left, scope);
  const name = `"$${scope.alias()}"`;
  const inner = scope.alias();
  const columns = right.columns.map((_, i) => `${inner}.c${i}`);
  const terms = [
    ...conditions.map((condition) => conditionSql(condition, outer.columns, columns)),
    ...residual.map((predicate) => over(predicate, [...outer.columns, ...columns])),
  ];
  const where = terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`;
  const fields = columns.map((column, i) => `c${i} := ${column}`).join(', ');
  const paired = nested(
    {
      ...plainBlock(outer.from, outer.columns),
      with: sql`WITH ${name} AS MATERIALIZED (${blockQuery(scope.render(right))})`,
      columns: [
        ...outer.columns.map((column) => [column]),
        sql`(SELECT struct_pack(${fields}) FROM ${name} AS ${inner}${where})`,
      ],
      isPlain: false,
    },
    scope,
  );
  const last = paired.columns.length - 1;
  return {
    ...paired,
    columns: [
      ...paired.columns.slice(0, last),
      ...columns.map((_, i) => sql`struct_extract(${paired.columns[last] ?? ''}, 'c${String(i)}')`),
    ],
    isPlain: false,
  };
}
