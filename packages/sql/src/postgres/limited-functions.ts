import { internalCall, kernelCall } from '../functions/expressions.ts';
import { constant, type Expression } from '../tree.ts';
import type { PostgresFunction } from './postgres-function.ts';

/** The distance of two texts takes time proportional to the product of their lengths. */
const compared = (name: string, mostArguments = 2): PostgresFunction => ({
  arity: [2, mostArguments],
  rewrite: ([one, other, ...more]) => kernelCall(name, internalCall('compared', one, other), other, ...more),
});

const resized: PostgresFunction = {
  arity: [2, 3],
  rewrite: (args) => internalCall('resized', ...args),
};

/** Bits are counted as bytes. */
const bits = (value: Expression | undefined, count: Expression | undefined): Expression =>
  kernelCall('bitstring', value, count && internalCall('repetitions', constant('0'), count));

/** Functions of the kernel that the dialect does not document, and whose single call may take minutes, which no interrupt ends. */
export const LIMITED_FUNCTIONS: Readonly<Record<string, PostgresFunction>> = {
  array_resize: resized,
  bitstring: { arity: [1, 2], rewrite: ([value, count]) => bits(value, count) },
  damerau_levenshtein: compared('damerau_levenshtein'),
  editdist3: compared('levenshtein'),
  jaro_similarity: compared('jaro_similarity', 3),
  jaro_winkler_similarity: compared('jaro_winkler_similarity', 3),
  levenshtein: compared('levenshtein'),
  list_resize: resized,
  printf: {
    arity: [1, Infinity],
    rewrite: ([pattern, ...values]) =>
      kernelCall('printf', internalCall('printf_pattern', pattern), ...values),
  },
};
