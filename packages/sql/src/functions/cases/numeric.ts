import { type Cases, error } from './case.ts';

export const NUMERIC_CASES: Cases = {
  abs: [
    ['abs(-5)', '5'],
    ['abs(NULL::int)', null],
    ["abs('-inf'::double)", 'inf'],
  ],
  acos: [['acos(2)', error('must be between -1 and 1')]],
  asin: [['round(asin(1), 6)', '1.570796']],
  atan: [['round(atan(1), 6)', '0.785398']],
  atan2: [['round(atan2(1, -1), 6)', '2.356194']],
  bit_shift_left: [
    ['bit_shift_left(1, 40)', '1099511627776'],
    ['bit_shift_left(1, 63)', '-9223372036854775808'],
    ['bit_shift_left(3, 63)', '-9223372036854775808'],
    ['bit_shift_left(-1, 2)', '-4'],
    ['bit_shift_left(5, 0)', '5'],
    ['bit_shift_left(1, 64)', error('from 0 to 63')],
    ['bit_shift_left(NULL, 1)', null],
  ],
  bit_shift_right: [
    ['bit_shift_right(-1, 63)', '-1'],
    ['bit_shift_right(1024, 3)', '128'],
    ['bit_shift_right(1, -1)', error('from 0 to 63')],
  ],
  ceil: [
    ['ceil(1.2)', '2.0'],
    ['ceil(1.2::numeric(3, 1))', '2'],
    ['ceiling(1.2::double)', '2.0'],
    ['ceil(NULL)', null],
  ],
  floor: [['floor(1.8::double)', '1.0']],
  cos: [['round(cos(pi()), 6)', '-1.0']],
  cot: [['cot(NULL)', null]],
  degrees: [['degrees(NULL)', null]],
  is_finite: [
    ['is_finite(10)', 'true'],
    ["is_finite('nan'::double)", 'false'],
    ['is_finite(12345678901234567890.5)', 'true'],
    ['is_finite(NULL)', null],
  ],
  is_infinite: [
    ["is_infinite('nan'::double)", 'false'],
    ['is_infinite(1)', 'false'],
  ],
  ln: [
    ['round(ln(10), 6)', '2.302585'],
    ['ln(0)', error('logarithm of zero')],
  ],
  log: [
    ['log(100.0)', '2.0'],
    ['log(10, 0.01)', '-2.0'],
    ['log(-1)', error('logarithm of a negative number')],
    ['log(NULL)', null],
  ],
  mod: [
    ['mod(7, -3)', '1'],
    ['mod(5.5, 2)', '1.5'],
    ['mod(NULL, 2)', null],
    ['mod(5, 0)', error('division by zero')],
    ['SELECT mod(x, y) FROM (VALUES (5, 0)) t(x, y)', error('division by zero')],
  ],
  param: [
    ["param('limit')", '10'],
    ["param('nothing')", null],
    ["param('nope')", error('no parameter named "nope"')],
    [
      "SELECT param(x) FROM (VALUES ('level')) t(x)",
      error('The argument of param must be a literal: the name of a parameter'),
    ],
  ],
  pow: [
    ['pow(2, -1)', '0.5'],
    ['power(4, 0.5)', '2.0'],
    ['pow(NULL, 2)', null],
  ],
  radians: [['round(radians(90), 6)', '1.570796']],
  random: [
    [
      'SELECT min(r) >= 0 AND max(r) < 1 AND count(DISTINCT r) > 990 FROM (SELECT random() AS r FROM range(1000)) q',
      'true',
    ],
  ],
  round: [
    ['round(2.5)', '3.0'],
    ['round(-2.5::numeric(3, 1))', '-3'],
    ['round(0.5::double)', '0.0'],
    ['round(-0.5::double)', '-0.0'],
    ['round(3.5::real)', '4.0'],
    ['round(1e0 / 2)', '1.0'],
    ['round(2.675, 2)', '2.68'],
    ['round(1250, -2)', '1300'],
    ['round(5)', '5'],
    ['round(NULL::double)', null],
  ],
  sin: [['round(sin(pi() / 2), 6)', '1.0']],
  sqrt: [
    ['sqrt(2)', '1.4142135623730951'],
    ['sqrt(-1)', error('square root of a negative number')],
  ],
  tan: [['round(tan(pi() / 4), 6)', '1.0']],
};
