import packageJson from '../../package.json' with { type: 'json' };
import { POSTGRES_VERSION_TEXT } from '../postgres/settings.ts';
import { constant, type Expression } from '../tree.ts';
import { CITY_HASH } from './city-hash.ts';
import { internalCall, kernelCall } from './expressions.ts';
import { type FunctionContext, inCategory, kernelFunction, macro } from './types.ts';

const VERSION = `Tessera ${packageJson.version}`;

const versionText = (_: unknown, { sessionValues }: FunctionContext): Expression =>
  constant(sessionValues.protocol === 'postgres' ? POSTGRES_VERSION_TEXT : VERSION);

export const CONDITIONAL_FUNCTIONS = inCategory('conditional', [
  kernelFunction(
    'case',
    'CASE [any] WHEN any THEN T … [ELSE T] END → T',
    'The result of the first branch whose condition holds.',
    "CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END",
    'b',
  ),
  kernelFunction(
    'cast',
    'CAST(any AS type) → type',
    'The value as another type; an error when it cannot be one.',
    "CAST('12' AS INTEGER) + 1",
    '13',
  ),
  kernelFunction(
    'coalesce',
    'coalesce(T, …) → T',
    'The first argument that is not NULL.',
    'coalesce(NULL, 2, 3)',
    '2',
  ),
  {
    name: 'city_hash',
    signatures: ['city_hash(any, …) → bigint'],
    description: 'A 64-bit hash that stays the same from version to version: CityHash64 (v1.0.2) of a text.',
    example: "city_hash('esimpson', '08-25-2016')",
    result: '-6509667128195191394',
    implementation: CITY_HASH,
  },
  kernelFunction(
    'greatest',
    'greatest(T, …) → T',
    'The largest argument; NULLs are passed over.',
    'greatest(1, NULL, 3)',
    '3',
  ),
  {
    name: 'hash',
    signatures: ['hash(any, …) → bigint'],
    description: 'A fast 64-bit hash of the arguments, for this version of the engine.',
    example: "hash(1, 'a') = hash(1, 'a')",
    result: 'true',
    implementation: {
      kind: 'rewrite',
      arity: [1, Number.POSITIVE_INFINITY],
      rewrite: ({ children }) => internalCall('signed', kernelCall('hash', ...children)),
    },
  },
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
    aliases: ['pg_typeof'],
    signatures: ['typeof(any) → text'],
    description: 'The name of the type.',
    example: 'typeof([1.5::numeric(4, 1)])',
    result: 'array(numeric(4, 1))',
    implementation: macro([1, 1], '(x) AS tsr_type_name(typeof(x))'),
  },
  {
    name: 'version',
    signatures: ['version() → text'],
    description:
      'The version of the engine; over the PostgreSQL protocol, in the form that clients of PostgreSQL read.',
    example: "version() LIKE 'Tessera %'",
    result: 'true',
    implementation: { kind: 'rewrite', arity: [0, 0], rewrite: versionText },
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
