import type { JoinRelation } from '../../relational/relation.ts';
import { plainReference, sameType } from '../tree/expressions.ts';

/** A pair of columns, one of each side, that are equal in every pair of matching rows. */
export interface KeyPair {
  readonly left: number;
  readonly right: number;
  /** Whether rows with NULL in these columns may match (IS NOT DISTINCT FROM). */
  readonly isNullSafe: boolean;
}

/**
 * The column pairs by which both sides of a join can be hashed. Conditions are over plain columns of equal
 * types (`withKeyColumns` ensures that). A mark join distinguishes NULL from false by looking at all rows of
 * the right side, so only its null-safe keys, which come from the correlation, may divide the rows.
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
