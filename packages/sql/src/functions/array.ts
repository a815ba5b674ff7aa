import { internalCall, isUntyped } from './expressions.ts';
import { lambdaFirst, ZIP_MACROS } from './lambda-first.ts';
import { alias, inCategory, KERNEL, macro } from './types.ts';

export const ARRAY_FUNCTIONS = inCategory('array', [
  {
    name: 'array_concat',
    aliases: ['array_cat'],
    signatures: ['array_concat(array(T), …) → array(T)'],
    description: 'The arrays one after another; a NULL array adds nothing.',
    example: 'array_concat([1, 2], [3], [4])',
    result: '[1, 2, 3, 4]',
    implementation: alias('list_concat'),
  },
  {
    name: 'array_contains',
    signatures: ['array_contains(array(T), T) → boolean'],
    description: 'Whether the value is an element; NULL is found where the array has a NULL.',
    example: "array_contains(['a', NULL], NULL)",
    result: 'true',
    implementation: macro(
      [2, 2],
      `(a, v) AS CASE WHEN a IS NULL THEN NULL WHEN v IS NULL THEN list_count(a) < len(a)
        ELSE list_contains(a, v) END`,
    ),
  },
  {
    name: 'array_count',
    signatures: ['array_count(lambda, array(T), …) → bigint', 'array_count(array(boolean)) → bigint'],
    description: 'How many elements the condition holds for; without one, how many elements are true.',
    example: 'array_count(x -> x > 3, [1, 2, 3, 9, NULL])',
    result: '1',
    implementation: lambdaFirst({
      apply: 'list_filter',
      finish: 'array_count_kept',
      withoutLambda: 'array_count_true',
    }),
  },
  {
    name: 'array_count_distinct',
    aliases: ['array_uniq'],
    signatures: ['array_count_distinct(array(T)) → bigint'],
    description: 'How many different elements the array has; NULL is not counted.',
    example: 'array_count_distinct([1, 2, 4, 5, 2, NULL, 5, 1])',
    result: '4',
    implementation: alias('list_unique'),
  },
  {
    name: 'array_distinct',
    signatures: ['array_distinct(array(T)) → array(T)'],
    description: 'Every different element once, NULL included, in the order of first occurrence.',
    example: 'array_distinct([3, 1, 3, NULL, 2, NULL])',
    result: '[3, 1, NULL, 2]',
    implementation: macro(
      [1, 1],
      // Sorts the elements by value, keeps each that differs from its predecessor, and restores the original
      // order.
      `(a) AS CASE WHEN a IS NOT NULL THEN list_transform([list_sort(list_transform(a, (x, i) -> {'v': x, 'i': i}))], sorted ->
        list_transform(list_sort(list_transform(list_filter(
          list_zip(sorted, list_concat([NULL], sorted), true),
          z -> z[2] IS NULL OR z[1].v IS DISTINCT FROM z[2].v), z -> {'i': z[1].i, 'v': z[1].v})), tsr_e -> tsr_e.v))[1] END`,
    ),
  },
  {
    name: 'array_length',
    signatures: ['array_length(array(T)) → bigint'],
    description: 'How many elements the array has, NULLs included.',
    example: 'array_length([1, NULL, 3])',
    result: '3',
    implementation: KERNEL,
  },
  {
    name: 'array_max',
    signatures: ['array_max(array(T)) → T'],
    description: 'The largest element; NULLs are passed over.',
    example: 'array_max([1, NULL, 7, 3])',
    result: '7',
    implementation: alias('list_max'),
  },
  {
    name: 'array_min',
    signatures: ['array_min(array(T)) → T'],
    description: 'The smallest element; NULLs are passed over.',
    example: 'array_min([4, NULL, 1, 3])',
    result: '1',
    implementation: alias('list_min'),
  },
  {
    name: 'array_reverse',
    signatures: ['array_reverse(array(T)) → array(T)'],
    description: 'The elements from the last to the first.',
    example: 'array_reverse([1, 2, NULL])',
    result: '[NULL, 2, 1]',
    implementation: alias('list_reverse'),
  },
  {
    name: 'array_sort',
    signatures: ['array_sort([lambda,] array(T)) → array(T)'],
    description:
      'The elements in ascending order, NULLs last; with a lambda, by what it gives, equal ones in their order.',
    example: 'array_sort(x -> x % 2, [4, 1, 3, 2])',
    result: '[4, 2, 1, 3]',
    implementation: lambdaFirst({
      apply: 'list_transform',
      finish: 'array_sort_by_keys',
      finishTakesFirstArray: true,
      withoutLambda: 'array_sort_ascending',
    }),
  },
  {
    name: 'array_reverse_sort',
    signatures: ['array_reverse_sort([lambda,] array(T)) → array(T)'],
    description:
      'The elements in descending order, NULLs first; with a lambda, by what it gives, equal ones in their order.',
    example: 'array_reverse_sort(x -> x % 2, [4, 1, 3, 2])',
    result: '[1, 3, 4, 2]',
    implementation: lambdaFirst({
      apply: 'list_transform',
      finish: 'array_reverse_sort_by_keys',
      finishTakesFirstArray: true,
      withoutLambda: 'array_sort_descending',
    }),
  },
  {
    name: 'array_sum',
    signatures: ['array_sum(array(T)) → bigint | numeric | double precision'],
    description:
      'The sum of the elements that are not NULL; NULL when there is none. The sum of integers is a bigint.',
    example: 'array_sum([4, 1, NULL, 3])',
    result: '8',
    implementation: alias('list_sum'),
  },
  {
    name: 'array_to_string',
    aliases: ['array_join'],
    signatures: ['array_to_string(array(T) [, text [, text]]) → text'],
    description:
      'The elements as text, joined by the separator (default: none). NULLs are left out, or written as the third argument; nested arrays are flattened.',
    example: "array_to_string([[1, 2], [NULL, 5]], ',')",
    result: '1,2,5',
    implementation: {
      kind: 'rewrite',
      arity: [1, 3],
      rewrite: ({ children }) =>
        internalCall(
          children[1] === undefined || isUntyped(children[1]) ? 'joined_array' : 'array_joined_by',
          ...children,
        ),
    },
  },
  {
    name: 'flatten',
    aliases: ['array_flatten'],
    signatures: ['flatten(array(array(T))) → array(T)'],
    description: 'The elements of the inner arrays, one level taken away.',
    example: 'flatten([[[1, 2]], [[2, 3], [3, 4]]])',
    result: '[[1, 2], [2, 3], [3, 4]]',
    implementation: alias('flatten'),
  },
  {
    name: 'index_of',
    signatures: ['index_of(array(T), T) → integer'],
    description: 'The position of the first element equal to the value, from 1; 0 when there is none.',
    example: 'index_of([1, 3, 4, 5, 7], 5)',
    result: '4',
    implementation: macro(
      [2, 2],
      '(a, v) AS CASE WHEN a IS NOT NULL THEN coalesce(list_position(a, v), 0) END',
    ),
  },
  {
    name: 'array_all_match',
    aliases: ['all_match'],
    signatures: ['array_all_match([lambda,] array(T), …) → boolean'],
    description:
      'Whether the condition holds for every element (true for none); NULL when it is only unknown for some.',
    example: 'array_all_match(x -> x > 0, [1, 2, 3])',
    result: 'true',
    implementation: lambdaFirst({
      apply: 'list_transform',
      finish: 'array_all_true',
      withoutLambda: 'array_all_true',
    }),
  },
  {
    name: 'array_any_match',
    aliases: ['any_match'],
    signatures: ['array_any_match([lambda,] array(T), …) → boolean'],
    description:
      'Whether the condition holds for an element (false for none); NULL when it is only unknown for some.',
    example: 'array_any_match(x -> x > 2, [1, 2, 3])',
    result: 'true',
    implementation: lambdaFirst({
      apply: 'list_transform',
      finish: 'array_any_true',
      withoutLambda: 'array_any_true',
    }),
  },
  {
    name: 'array_first',
    signatures: ['array_first(lambda, array(T), …) → T'],
    description: 'The first element the condition holds for, else NULL.',
    example: 'array_first(x -> x > 2, [1, 2, 4, 9])',
    result: '4',
    implementation: lambdaFirst({ apply: 'list_filter', finish: 'array_first_kept' }),
  },
  {
    name: 'array_filter',
    aliases: ['filter'],
    signatures: ['array_filter(lambda, array(T), …) → array(T)'],
    description: 'The elements of the first array for which the condition holds.',
    example: "array_filter((x, y) -> y > 2, ['a', 'b', 'c'], [1, 9, 3])",
    result: '[b, c]',
    implementation: lambdaFirst({ apply: 'list_filter' }),
  },
  {
    name: 'array_transform',
    aliases: ['transform'],
    signatures: ['array_transform(lambda, array(T), …) → array(U)'],
    description:
      'What the lambda gives for each element; with several arrays of one length, for each row of elements.',
    example: 'array_transform((x, y) -> x + y, [1, 2], [10, 20])',
    result: '[11, 22]',
    implementation: lambdaFirst({ apply: 'list_transform' }),
  },
  {
    name: 'array_enumerate',
    signatures: ['array_enumerate(array(T)) → array(integer)'],
    description: 'The numbers from 1 to the length of the array.',
    example: 'array_enumerate([7, NULL, 3])',
    result: '[1, 2, 3]',
    implementation: macro([1, 1], '(a) AS CASE WHEN a IS NOT NULL THEN range(1, len(a) + 1)::INTEGER[] END'),
  },
]);

/** Macros that the functions above are built from. */
export const ARRAY_MACROS: Readonly<Record<string, readonly string[]>> = {
  ...ZIP_MACROS,
  // The kernel answers NULL if there is nothing to join.
  joined: [
    "(a, d) AS CASE WHEN a IS NOT NULL AND d IS NOT NULL THEN coalesce(array_to_string(a, d), '') END",
  ],
  // The kernel's separator is a constant.
  joined_by: [
    `(a, d) AS CASE WHEN a IS NOT NULL AND d IS NOT NULL
      THEN coalesce(substring(array_to_string(list_transform(a, e -> d || e), ''), length(d) + 1), '') END`,
  ],
  text_elements: [
    `(a) AS CASE WHEN typeof(a) LIKE '%[][][]' THEN json_extract_string(to_json(a), '$[*][*][*]')
      WHEN typeof(a) LIKE '%[][]' THEN json_extract_string(to_json(a), '$[*][*]')
      WHEN typeof(a) = 'DOUBLE[]' THEN list_transform(a::DOUBLE[], e -> tsr_pg_double(e))
      WHEN typeof(a) = 'FLOAT[]' THEN list_transform(a::FLOAT[], e -> tsr_pg_float(e))
      ELSE a::VARCHAR[] END`,
  ],
  joined_array: [
    "(a) AS tsr_joined(tsr_text_elements(a), '')",
    '(a, d) AS tsr_joined(tsr_text_elements(a), d)',
    `(a, d, n) AS tsr_joined(list_transform(tsr_text_elements(a), e -> coalesce(e, n)), d)`,
  ],
  array_joined_by: [
    '(a, d) AS tsr_joined_by(tsr_text_elements(a), d)',
    `(a, d, n) AS tsr_joined_by(list_transform(tsr_text_elements(a), e -> coalesce(e, n)), d)`,
  ],
  subscript: [
    "(a, i) AS CASE WHEN suffix(typeof(a), ']') AND TRY_CAST(i AS BIGINT) < 0 THEN NULL ELSE i END",
  ],
  slice_bound: ["(a, i) AS CASE WHEN suffix(typeof(a), ']') AND i < 0 THEN 0 ELSE i END"],
  array_count_kept: ['(kept) AS len(kept)'],
  array_count_true: ['(a) AS len(list_filter(a, x -> x))'],
  array_first_kept: ['(kept) AS kept[1]'],
  array_all_true: [
    `(m) AS CASE WHEN m IS NULL THEN NULL WHEN list_contains(m, false) THEN false
      WHEN list_count(m) < len(m) THEN NULL ELSE true END`,
  ],
  array_any_true: [
    `(m) AS CASE WHEN m IS NULL THEN NULL WHEN list_contains(m, true) THEN true
      WHEN list_count(m) < len(m) THEN NULL ELSE false END`,
  ],
  array_sort_ascending: ["(a) AS list_sort(a, 'ASC', 'NULLS LAST')"],
  array_sort_descending: ["(a) AS list_sort(a, 'DESC', 'NULLS FIRST')"],
  // Within a struct, NULL sorts last; the position keeps the order of equal keys.
  array_sort_by_keys: [
    `(keys, a) AS CASE WHEN a IS NOT NULL THEN list_transform(list_sort(list_transform(list_zip(keys, a),
      (e, i) -> {'k': e[1], 'i': i, 'v': e[2]}), 'ASC'), tsr_e -> tsr_e.v) END`,
  ],
  array_reverse_sort_by_keys: [
    `(keys, a) AS CASE WHEN a IS NOT NULL THEN list_transform(list_sort(list_transform(list_zip(keys, a),
      (e, i) -> {'k': e[1], 'i': -i, 'v': e[2]}), 'DESC'), tsr_e -> tsr_e.v) END`,
  ],
};
