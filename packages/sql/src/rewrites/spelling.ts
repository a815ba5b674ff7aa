import type { Expression } from '../tree.ts';

/** The same text for expressions that differ only in their place and in what they are called. */
export const spelling = (expression: Expression): string =>
  JSON.stringify(expression, (key, value: unknown) =>
    key === 'query_location' || key === 'alias' ? undefined : typeof value === 'bigint' ? `${value}n` : value,
  );
