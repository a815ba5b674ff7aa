import { largestShare, sharesOf } from '../../estimate/common-values.ts';
import type { Estimate } from '../../estimate/estimate.ts';

/**
 * How much longer the last task of a hash exchange takes than if all tasks had the same number of rows. Equal keys are in one task,
 * so a key with half of the rows leaves the other tasks waiting.
 * @param hasNulls whether rows with NULL as key are exchanged, too
 */
export function imbalance(
  { tableColumns }: Pick<Estimate, 'tableColumns'>,
  keys: readonly number[],
  tasks: number,
  hasNulls: boolean,
): number {
  if (keys.length === 0) return 1;
  const share = keys.reduce(
    (product, key) => product * largestShare(sharesOf(tableColumns[key]), hasNulls),
    1,
  );
  return 1 + share * (tasks - 1);
}
