import type { RandomChoice } from './random-choice.ts';

export type Settings = Readonly<Record<string, string>>;

/** Makes every query distributed, however small. */
const SPREAD: Settings = { min_distributed_bytes: '0' };
/** Makes no query distributed. */
export const ON_ONE_NODE: Settings = { enable_distributed_execution: 'false' };
/** The smallest possible tablets. */
export const TINY_TABLETS: Settings = { tablet_min_size_bytes: '1000', tablet_max_size_bytes: '4000' };

/** Limits that lead to unusual plans. */
export function hostileSettings(choice: RandomChoice): Settings {
  return {
    ...SPREAD,
    whole_table_bytes: choice.pick(['0', '0', '3000', '1000000']),
    broadcast_limit_bytes: choice.pick(['0', '1', '2000', '1000000000']),
    join_key_filters: choice.pick(['auto', 'always', 'always']),
  };
}
