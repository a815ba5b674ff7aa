import { inCategory, kernelFunction, macro } from './types.ts';

export const CONVERSION_FUNCTIONS = inCategory('type conversion', [
  kernelFunction(
    'cast',
    'CAST(any AS type) → type',
    'The value as another type; an error when it cannot be one.',
    "CAST('12' AS INTEGER) + 1",
    '13',
  ),
  {
    ...kernelFunction(
      'try_cast',
      'TRY_CAST(any AS type) → type',
      'The value as another type; NULL when it cannot be one.',
      "TRY_CAST('x' AS INTEGER)",
      '',
    ),
    result: null,
  },
  {
    name: 'typeof',
    signatures: ['typeof(any) → text'],
    description: 'The name of the type.',
    example: 'typeof([1.5::numeric(4, 1)])',
    result: 'array(numeric(4, 1))',
    implementation: macro([1, 1], '(x) AS tsr_type_name(typeof(x))'),
  },
]);
