import type { JoinRelation } from '../../relational/relation.ts';
import { plainReference, sameType } from '../tree/expressions.ts';

/** A pair of columns of the two sides that are equal in all pairs of rows that match. */
export interface KeyPair {
  readonly left: number;
  readonly right: number;
  /** Rows with NULL in it may match. */
  readonly isNullSafe: boolean;
}

/**
 * The pairs by which rows of a join find each other, so that both sides can be hashed by them. Conditions are over plain columns
 * of the same type (`withKeyColumns` made them so). A mark join tells NULL from false by looking at all rows of the right side,
 * so that only its null-safe keys, those of the rows that it is computed for, may part them.
 */
export function equalKeys({
  conditions,
  type,
  left: leftSide,
  right: rightSide,
}: JoinRelation): readonly KeyPair[] {
  return conditions.flatMap(({ comparison, left, right }) => {
    const isNullSafe = comparison === 'IS NOT DISTINCT FROM';
    if (comparison !== '=' && !isNullSafe) return [];
    if (type === 'mark' && !isNullSafe) return [];
    const [onLeft, onRight] = [plainReference(left), plainReference(right)];
    if (onLeft === undefined || onRight === undefined) return [];
    if (!sameType(leftSide.columns[onLeft]!.type, rightSide.columns[onRight]!.type)) return [];
    return [{ left: onLeft, right: onRight, isNullSafe }];
  });
}
