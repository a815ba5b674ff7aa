import { inCategory, kernelFunction, macro } from './types.ts';

export const CONDITIONAL_FUNCTIONS = inCategory('conditional', [
  kernelFunction(
    'case',
    'CASE [any] WHEN any THEN T … [ELSE T] END → T',
    'The result of the first branch whose condition holds.',
    "CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END",
    'b',
  ),
  kernelFunction(
    'coalesce',
    'coalesce(T, …) → T',
    'The first argument that is not NULL.',
    'coalesce(NULL, 2, 3)',
    '2',
  ),
  kernelFunction(
    'greatest',
    'greatest(T, …) → T',
    'The largest argument; NULLs are passed over.',
    'greatest(1, NULL, 3)',
    '3',
  ),
  kernelFunction(
    'if',
    'if(boolean, T, T) → T',
    'The second argument when the condition holds, else the third.',
    "if(1 > 2, 'a', 'b')",
    'b',
  ),
  kernelFunction(
    'ifnull',
    'ifnull(T, T) → T',
    'The first argument, or the second when the first is NULL.',
    'ifnull(NULL, 5)',
    '5',
  ),
  kernelFunction(
    'least',
    'least(T, …) → T',
    'The smallest argument; NULLs are passed over.',
    'least(1, NULL, 3)',
    '1',
  ),
  {
    ...kernelFunction(
      'nullif',
      'nullif(T, T) → T',
      'The first argument, or NULL when both are equal.',
      'nullif(1, 1)',
      '',
    ),
    result: null,
  },
  {
    name: 'zeroifnull',
    signatures: ['zeroifnull(numeric) → numeric'],
    description: 'The number, or 0 for NULL.',
    example: 'zeroifnull(NULL::integer)',
    result: '0',
    implementation: macro([1, 1], '(x) AS coalesce(x, 0)'),
  },
]);
