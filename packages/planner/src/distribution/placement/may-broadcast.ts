import type { JoinType } from '../../relational/relation.ts';

const BROADCAST_RIGHT: ReadonlySet<JoinType> = new Set(['inner', 'left', 'semi', 'anti', 'mark', 'single']);
const BROADCAST_LEFT: ReadonlySet<JoinType> = new Set(['inner', 'right', 'right_semi', 'right_anti']);

/**
 * Whether all tasks may read a side of the join while they divide the rows of the other side: the join returns rows of the
 * former only together with a row of the other side.
 */
export const mayBroadcast = (type: JoinType, side: 'left' | 'right'): boolean =>
  (side === 'right' ? BROADCAST_RIGHT : BROADCAST_LEFT).has(type);
