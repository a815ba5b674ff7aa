import { type Definition, inCategory, macro } from './types.ts';

const measure = (
  name: string,
  description: string,
  body: string,
  example: string,
  result: string,
): Definition => ({
  name: `vector_${name}`,
  signatures: [`vector_${name}(array(numeric), array(numeric)) → double precision`],
  description,
  example: `vector_${name}(${example})`,
  result,
  implementation: macro([2, 2], `(a, b) AS ${body}`),
});

const elementwise = (name: string, symbol: '+' | '-', description: string, result: string): Definition => ({
  name: `vector_${name}`,
  signatures: [`vector_${name}(array(numeric), array(numeric)) → array(numeric)`],
  description,
  example: `vector_${name}([1, 2], [10, 20])`,
  result,
  implementation: macro([2, 2], `(a, b) AS list_transform(tsr_zip_2(a, b), e -> e[1] ${symbol} e[2])`),
});

export const VECTOR_FUNCTIONS = inCategory('vector', [
  elementwise('add', '+', 'The sums of the elements.', '[11, 22]'),
  measure(
    'cosine_distance',
    '1 - the cosine similarity.',
    '1 - list_cosine_similarity(a::DOUBLE[], b::DOUBLE[])',
    '[1, 0], [0, 1]',
    '1.0',
  ),
  measure(
    'cosine_similarity',
    'The cosine of the angle between the vectors.',
    'list_cosine_similarity(a::DOUBLE[], b::DOUBLE[])',
    '[1, 2], [2, 4]',
    '1.0',
  ),
  measure(
    'euclidean_distance',
    'The length of the difference.',
    'list_distance(a::DOUBLE[], b::DOUBLE[])',
    '[1, 2], [4, 6]',
    '5.0',
  ),
  measure(
    'inner_product',
    'The sum of the products of the elements.',
    'list_inner_product(a::DOUBLE[], b::DOUBLE[])',
    '[1, 2], [3, 4]',
    '11.0',
  ),
  measure(
    'manhattan_distance',
    'The sum of the absolute differences of the elements.',
    'list_sum(list_transform(tsr_zip_2(a::DOUBLE[], b::DOUBLE[]), e -> abs(e[1] - e[2])))',
    '[1, 2], [4, 6]',
    '7.0',
  ),
  measure(
    'squared_euclidean_distance',
    'The sum of the squared differences of the elements.',
    'list_sum(list_transform(tsr_zip_2(a::DOUBLE[], b::DOUBLE[]), e -> (e[1] - e[2]) * (e[1] - e[2])))',
    '[1, 2], [4, 6]',
    '25.0',
  ),
  elementwise('subtract', '-', 'The differences of the elements.', '[-9, -18]'),
]);
