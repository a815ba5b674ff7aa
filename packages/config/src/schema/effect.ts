import type { Effect } from './parameter.ts';

/** The effects of parameters, by what brings them. */
export const NOW = 'in effect' satisfies Effect;
