import { alias, type Definition, inCategory, KERNEL, macro } from './types.ts';

const unary = (name: string, description: string, example: string, result: string): Definition => ({
  name,
  signatures: [`${name}(double precision) → double precision`],
  description,
  example,
  result,
  implementation: KERNEL,
});

export const NUMERIC_FUNCTIONS = inCategory('numeric', [
  { ...unary('abs', 'The absolute value.', 'abs(-1.5)', '1.5'), signatures: ['abs(numeric) → numeric'] },
  unary('acos', 'The arc cosine, in radians.', 'acos(1)', '0.0'),
  unary('asin', 'The arc sine, in radians.', 'asin(0)', '0.0'),
  unary('atan', 'The arc tangent, in radians.', 'atan(0)', '0.0'),
  {
    ...unary('atan2', 'The angle of the point (second, first), in radians.', 'atan2(0, 1)', '0.0'),
    signatures: ['atan2(double precision, double precision) → double precision'],
  },
  {
    name: 'bit_shift_left',
    signatures: ['bit_shift_left(bigint, integer) → bigint'],
    description: 'The bits moved to the left by 0 to 63 places; what leaves the 64 bits is lost.',
    example: 'bit_shift_left(5, 2)',
    result: '20',
    implementation: macro(
      [2, 2],
      `(x, n) AS CASE WHEN n NOT BETWEEN 0 AND 63 THEN error('bit_shift_left: the places must be from 0 to 63')
        ELSE tsr_signed_sum(x::BIGINT::HUGEINT * (1::HUGEINT << n::INTEGER)) END`,
    ),
  },
  {
    name: 'bit_shift_right',
    signatures: ['bit_shift_right(bigint, integer) → bigint'],
    description: 'The bits moved to the right by 0 to 63 places; the sign stays.',
    example: 'bit_shift_right(-20, 2)',
    result: '-5',
    implementation: macro(
      [2, 2],
      `(x, n) AS CASE WHEN n NOT BETWEEN 0 AND 63 THEN error('bit_shift_right: the places must be from 0 to 63')
        ELSE x::BIGINT >> n::BIGINT END`,
    ),
  },
  {
    ...unary('ceil', 'The smallest integer that is not less.', 'ceil(-1.5)', '-1.0'),
    aliases: ['ceiling'],
    signatures: ['ceil(numeric) → numeric'],
    implementation: alias('ceil'),
  },
  unary('cos', 'The cosine of an angle in radians.', 'cos(0)', '1.0'),
  unary('cot', 'The cotangent of an angle in radians.', 'round(cot(0.5), 6)', '1.830488'),
  unary('degrees', 'Radians as degrees.', 'degrees(pi())', '180.0'),
  {
    ...unary('floor', 'The largest integer that is not greater.', 'floor(-1.5)', '-2.0'),
    signatures: ['floor(numeric) → numeric'],
  },
  {
    name: 'is_finite',
    signatures: ['is_finite(double precision) → boolean'],
    description: 'Whether the number is neither infinite nor NaN.',
    example: "is_finite('inf'::double)",
    result: 'false',
    implementation: macro([1, 1], '(x) AS isfinite(x::DOUBLE)'),
  },
  {
    name: 'is_infinite',
    signatures: ['is_infinite(double precision) → boolean'],
    description: 'Whether the number is plus or minus infinity.',
    example: "is_infinite('-inf'::double)",
    result: 'true',
    implementation: macro([1, 1], '(x) AS isinf(x::DOUBLE)'),
  },
  unary('ln', 'The natural logarithm.', 'ln(1)', '0.0'),
  {
    ...unary('log', 'The logarithm to base 10, or to the base given first.', 'log(2, 64.0)', '6.0'),
    signatures: ['log([double precision base,] double precision) → double precision'],
  },
  {
    name: 'mod',
    signatures: ['mod(numeric, numeric) → numeric'],
    description: 'The remainder of the division, with the sign of the first argument.',
    example: 'mod(-7, 3)',
    result: '-1',
    implementation: macro([2, 2], '(x, y) AS x % tsr_divisor(y, x)'),
  },
  { ...unary('pi', 'The number π.', 'pi()', '3.141592653589793'), signatures: ['pi() → double precision'] },
  {
    ...unary('pow', 'The first number to the power of the second.', 'pow(2, 5)', '32.0'),
    aliases: ['power'],
    signatures: ['pow(double precision, double precision) → double precision'],
    implementation: alias('pow'),
  },
  unary('radians', 'Degrees as radians.', 'radians(180)', '3.141592653589793'),
  {
    ...unary(
      'random',
      'A random number from 0 to less than 1, another for every row.',
      'random() BETWEEN 0 AND 1',
      'true',
    ),
    signatures: ['random() → double precision'],
  },
  {
    ...unary(
      'round',
      'The number rounded to the given number of decimals (default 0), halves away from zero. A double precision without a number of decimals is rounded to the even number if it is a half.',
      'round(-2.5)',
      '-3.0',
    ),
    signatures: ['round(numeric [, integer]) → numeric'],
  },
  {
    name: 'sign',
    signatures: ['sign(numeric) → double precision'],
    description: '1, 0 or -1 for a number greater than, equal to or less than 0.',
    example: 'sign(-2.5)',
    result: '-1.0',
    implementation: macro([1, 1], '(x) AS CAST(sign(x) AS DOUBLE)'),
  },
  unary('sin', 'The sine of an angle in radians.', 'sin(0)', '0.0'),
  unary('sqrt', 'The square root.', 'sqrt(64)', '8.0'),
  unary('tan', 'The tangent of an angle in radians.', 'tan(0)', '0.0'),
]);
