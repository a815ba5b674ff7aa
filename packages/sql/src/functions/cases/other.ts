import { type Cases, error } from './case.ts';

export const OTHER_CASES: Cases = {
  case: [
    ['CASE WHEN NULL THEN 1 ELSE 2 END', '2'],
    ['CASE WHEN false THEN 1 END', null],
  ],
  cast: [
    ["CAST('x' AS INTEGER)", error('x')],
    ["'2024-02-29'::date", '2024-02-29'],
    ["CAST('[1, 2]' AS ARRAY(INT))", '[1, 2]'],
  ],
  coalesce: [['coalesce(NULL, NULL)', null]],
  greatest: [
    ["greatest('a', 'b')", 'b'],
    ['greatest(NULL, NULL)', null],
  ],
  least: [['least(2, 1.5)', '1.5']],
  hash: [
    ["typeof(hash('x'))", 'bigint'],
    ['hash(1) <> hash(2)', 'true'],
    ['hash(1, 2) <> hash(2, 1)', 'true'],
    ['hash(NULL) IS NULL', 'false'],
    ['SELECT count(DISTINCT hash(x)) FROM range(1000) t(x)', '1000'],
    ['SELECT min(hash(x)) < 0 AND max(hash(x)) > 0 FROM range(100) t(x)', 'true'],
    ['hash()', error('hash cannot be called with 0 arguments')],
  ],
  if: [
    ["if(NULL, 'a', 'b')", 'b'],
    ['if(true, 1, 2)', '1'],
  ],
  ifnull: [
    ['ifnull(1, 2)', '1'],
    ['ifnull(NULL, NULL)', null],
  ],
  nullif: [
    ['nullif(1, 2)', '1'],
    ['nullif(NULL, 2)', null],
  ],
  try_cast: [
    ["TRY_CAST('12' AS INTEGER)", '12'],
    ["TRY_CAST('2024-02-30' AS DATE)", null],
  ],
  typeof: [
    ['typeof(1)', 'integer'],
    ['typeof(1::bigint)', 'bigint'],
    ['typeof(1::real)', 'real'],
    ['typeof(pi())', 'double precision'],
    ["typeof('a')", 'text'],
    ["typeof('a'::bytea)", 'bytea'],
    ['typeof(true)', 'boolean'],
    ['typeof(now())', 'timestamptz'],
    ["typeof(TIMESTAMP '2024-01-01 00:00:00')", 'timestamp'],
    ["pg_typeof(DATE '2024-01-01')", 'date'],
    ["typeof(INTERVAL '1 day')", 'interval'],
    ['typeof([[1]])', 'array(array(integer))'],
    ["typeof({a: [1], b: {c: 'x'}})", 'struct(a array(integer), b struct(c text))'],
    ['typeof([{a: 1::numeric(5, 2)}])', 'array(struct(a numeric(5, 2)))'],
    ["typeof('1'::json)", 'json'],
    ['typeof(NULL)', 'unknown'],
    ['typeof(gen_random_uuid())', 'text'],
  ],
  zeroifnull: [
    ['zeroifnull(5)', '5'],
    ['zeroifnull(NULL::numeric(5, 2))', '0.00'],
  ],
  session: [
    ['session_user()', 'user'],
    ['current_database()', 'tessera'],
    ['current_engine()', 'engine'],
    ['current_account()', 'account'],
    ['current_account(1)', error('current_account cannot be called with 1 argument')],
  ],
};
