import type { JoinType } from '../../relational/relation.ts';

/** Whether rows of a side without a match do not affect the result. */
export function dropsUnmatched(type: JoinType, side: 'left' | 'right'): boolean {
  switch (type) {
    case 'inner':
    case 'semi':
    case 'right_semi':
      return true;
    case 'left':
    case 'anti':
    case 'single':
      return side === 'right';
    case 'right':
    case 'right_anti':
      return side === 'left';
    case 'mark':
    case 'full':
      return false;
  }
}
