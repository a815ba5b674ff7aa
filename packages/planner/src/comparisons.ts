/** A comparison operator as SQL writes it. */
export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=' | 'IS NOT DISTINCT FROM' | 'IS DISTINCT FROM';

/** The operators by the kernel's name in plans. */
export const COMPARISONS: Readonly<Record<string, Comparison>> = {
  COMPARE_EQUAL: '=',
  COMPARE_NOTEQUAL: '<>',
  COMPARE_LESSTHAN: '<',
  COMPARE_LESSTHANOREQUALTO: '<=',
  COMPARE_GREATERTHAN: '>',
  COMPARE_GREATERTHANOREQUALTO: '>=',
  COMPARE_NOT_DISTINCT_FROM: 'IS NOT DISTINCT FROM',
  COMPARE_DISTINCT_FROM: 'IS DISTINCT FROM',
};
