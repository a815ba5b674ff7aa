import type { JoinRelation } from '../../relation.ts';
import { unsupported } from '../../unsupported-plan.ts';
import { plainBlock, type QueryBlock } from '../query-block.ts';
import { nested, over, type RenderScope, source } from '../render-scope.ts';
import { sql } from '../sql-parts.ts';
import { conditionSql } from './join-condition.ts';

/** `SELECT left, (SELECT {right} FROM right WHERE …)`: the kernel raises the error for a second row itself. */
export function renderSingleJoin(relation: JoinRelation, scope: RenderScope): QueryBlock {
  const { conditions, residual, isAsof } = relation;
  if (isAsof) return unsupported('a single ASOF join');
  const left = source(relation.left, scope);
  const right = source(relation.right, scope);
  const terms = [
    ...conditions.map((condition) => conditionSql(condition, left.columns, right.columns)),
    ...residual.map((predicate) => over(predicate, [...left.columns, ...right.columns])),
  ];
  const where = terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`;
  const fields = right.columns.map((column, i) => `c${i} := ${column}`).join(', ');
  const rows = sql`(SELECT struct_pack(${fields}) FROM ${right.from}${where})`;
  const paired = nested(
    {
      ...plainBlock(left.from, left.columns),
      columns: [...left.columns.map((column) => [column]), rows],
      isPlain: false,
    },
    scope,
  );
  const last = paired.columns.length - 1;
  return {
    ...paired,
    columns: [
      ...paired.columns.slice(0, last),
      ...right.columns.map((_, i) => sql`struct_extract(${paired.columns[last] ?? ''}, 'c${String(i)}')`),
    ],
    isPlain: false,
  };
}
