import type { SqlTemplate } from '../../../distributed-plan.ts';
import type { JoinRelation, PositionalJoinRelation } from '../../relation.ts';
import { plainBlock, type QueryBlock } from '../query-block.ts';
import { operand, over, type RenderScope } from '../render-scope.ts';
import { sql } from '../sql-parts.ts';
import { conditionSql } from './join-condition.ts';
import { renderMarkJoin } from './mark-join.ts';
import { renderSingleJoin } from './single-join.ts';

const KEYWORDS = {
  inner: 'JOIN',
  left: 'LEFT JOIN',
  right: 'RIGHT JOIN',
  full: 'FULL JOIN',
  semi: 'SEMI JOIN',
  anti: 'ANTI JOIN',
  right_semi: 'SEMI JOIN',
  right_anti: 'ANTI JOIN',
} as const;

/** Renders `left JOIN right ON …`; joins that return the right side become semi joins with swapped sides. */
export function renderJoin(relation: JoinRelation, scope: RenderScope): QueryBlock {
  const { type, conditions, residual, isAsof } = relation;
  if (type === 'mark') return renderMarkJoin(relation, scope);
  if (type === 'single') return renderSingleJoin(relation, scope);
  const left = operand(relation.left, scope);
  const right = operand(relation.right, scope);
  const both = [...left.columns, ...right.columns];
  const terms = [
    ...conditions.map((condition) => conditionSql(condition, left.columns, right.columns)),
    ...residual.map((predicate) => over(predicate, both)),
  ];
  const isFlipped = type === 'right_semi' || type === 'right_anti';
  const [first, second] = isFlipped ? [right.from, left.from] : [left.from, right.from];
  const columns = isFlipped ? right.columns : type === 'semi' || type === 'anti' ? left.columns : both;
  const on: SqlTemplate = [terms.length === 0 ? 'true' : terms.join(' AND ')];
  if (type === 'inner' && terms.length === 0)
    return plainBlock(sql`${first} CROSS JOIN ${second}`, columns, true);
  const keyword = `${isAsof ? 'ASOF ' : ''}${KEYWORDS[type]}`;
  return plainBlock(sql`${first} ${keyword} ${second} ON ${on}`, columns, true);
}

export function renderPositionalJoin(relation: PositionalJoinRelation, scope: RenderScope): QueryBlock {
  const left = operand(relation.left, scope);
  const right = operand(relation.right, scope);
  return plainBlock(
    sql`${left.from} POSITIONAL JOIN ${right.from}`,
    [...left.columns, ...right.columns],
    true,
  );
}
