import type { Expression } from '../tree.ts';

/** A text that is equal for expressions that differ only in their place and alias. */
export const spelling = (expression: Expression): string =>
  JSON.stringify(expression, (key, value: unknown) =>
    key === 'query_location' || key === 'alias' ? undefined : typeof value === 'bigint' ? `${value}n` : value,
  );
