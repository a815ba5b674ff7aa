import type { RandomChoice } from './random-choice.ts';

export type Settings = Readonly<Record<string, string>>;

/** So that every query is spread, however small. */
const SPREAD: Settings = { min_distributed_bytes: '0' };
/** So that none is. */
export const ON_ONE_NODE: Settings = { enable_distributed_execution: 'false' };
/** Tablets as small as they may be. */
export const TINY_TABLETS: Settings = { tablet_min_size_bytes: '1000', tablet_max_size_bytes: '4000' };

/** Limits at which plans are other than usual. */
export function hostileSettings(choice: RandomChoice): Settings {
  return {
    ...SPREAD,
    whole_table_bytes: choice.pick(['0', '0', '3000', '1000000']),
    broadcast_limit_bytes: choice.pick(['0', '1', '2000', '1000000000']),
    join_key_filters: choice.pick(['auto', 'always', 'always']),
  };
}
