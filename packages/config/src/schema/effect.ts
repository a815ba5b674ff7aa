import type { Effect } from './parameter.ts';

/** Whether parameters have an effect, grouped by the feature that implements them. */
export const NOW = 'in effect' satisfies Effect;
