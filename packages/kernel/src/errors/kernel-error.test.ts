import { expect, test } from 'vitest';
import { isFatal, kernelErrorToTessera } from './kernel-error.ts';

const UNREADABLE = 'Invalid Input Error: Failed to read file "/data/t.parquet": ZSTD Decompression failure';
const UNWRITTEN = JSON.stringify({
  exception_type: 'INTERNAL',
  exception_message:
    'Primary exception: Could not convert string \\"%s\\" to DECIMAL(%d,%d)\nSecondary exception in ExceptionFormatValue: std::bad_alloc',
});

const NO_SAMPLE = '{"exception_type":"INTERNAL","exception_message":"Memory allocation failure"}';

test('an internal error gives the process up, but not one that only says that there was no memory for a message', () => {
  expect(isFatal('{"exception_type":"INTERNAL","exception_message":"Attempted to access index 1"}')).toBe(
    true,
  );
  expect(isFatal(UNWRITTEN)).toBe(false);
  expect(isFatal(NO_SAMPLE)).toBe(true);
});

test.each([
  ['Out of Memory Error: Allocation failure', false, 'OUT_OF_MEMORY'],
  [
    'Invalid Input Error: Failed to read file "t": Allocation error : not enough memory',
    false,
    'OUT_OF_MEMORY',
  ],
  // There was no memory for the message of an error, which contains a long value.
  ['{"exception_type":"Conversion","exception_message":""}', false, 'OUT_OF_MEMORY'],
  [
    '{"exception_type":"Serialization","exception_message":"Failed to write JSON string: memory allocation failed"}',
    false,
    'OUT_OF_MEMORY',
  ],
  [UNWRITTEN, false, 'OUT_OF_MEMORY'],
  [NO_SAMPLE, false, 'OUT_OF_MEMORY'],
  ['', true, 'OUT_OF_MEMORY'],
  // A damaged file and a failed allocation have the same message.
  [UNREADABLE, true, 'OUT_OF_MEMORY'],
  [UNREADABLE, false, 'STATEMENT_FAILED'],
])('%s, memory is short: %j', (text, memoryIsShort, name) => {
  expect(kernelErrorToTessera(text, undefined, memoryIsShort)).toMatchObject({ name });
});

test.each([
  [
    'Binder Error: Function "tsr_array_distinct" is a Macro Function. "DISTINCT", "FILTER", and "ORDER BY" are only applicable to aggregate functions.',
    'DISTINCT, FILTER and ORDER BY are allowed only in calls of aggregate functions; array_distinct is not one',
  ],
  [
    'Binder Error: Macro tsr_json_value() has positional argument following named argument',
    'Function json_value cannot be called with these arguments',
  ],
  [
    'Binder Error: Window function macros must be functions',
    'OVER is allowed only after aggregate functions and window functions',
  ],
  ['Binder Error: * expression without FROM clause!', '* needs relations in FROM'],
  [
    'Binder Error: Max expression depth limit of 1000 exceeded. Use "SET max_expression_depth TO x" to increase the maximum expression depth.',
    'The statement is nested too deep: at most 1000 levels of expressions',
  ],
  ['Conversion Error: Failed to cast value to numerical: {}', 'The JSON value {} is not a number'],
  ['Conversion Error: Expected array, but got OBJECT: {}', 'The JSON value {} is not an array'],
])('%s is told in words of the dialect', (text, message) => {
  expect(kernelErrorToTessera(text).message).toBe(message);
});

test('a message with a long value keeps its beginning and its end', () => {
  // Translating the whole message would take hours.
  for (const value of ['x'.repeat(5_000_000), '🦆\n'.repeat(1_000_000)]) {
    const exception_message = `Could not convert string '${value}' to INT32`;
    const error = kernelErrorToTessera(JSON.stringify({ exception_type: 'Conversion', exception_message }));
    expect(error).toMatchObject({
      name: 'CAST_ERROR',
      message: expect.stringMatching(/^invalid input syntax for type integer: "(x|🦆)[\s\S]* … [\s\S]*"$/u),
    });
    expect(error.message.length).toBeLessThan(2_100);
  }
});

test.each([
  [
    'Not implemented Error: Non-inner join on correlated columns not supported',
    'An outer join inside or beside a subquery that refers to columns of the query around it is not supported: use an inner join there, or compute the subquery in FROM without these columns and join it',
  ],
  [
    'Binder Error: Subqueries are not supported in LATERAL join conditions',
    'A subquery in the condition of a LATERAL join is not supported: write the condition in WHERE inside the LATERAL subquery',
  ],
  [
    'Not implemented Error: Positional join in correlated subqueries is not (yet) supported',
    'Positional join in correlated subqueries is not supported',
  ],
  [
    'Not implemented Error: correlated columns in window functions not supported',
    'Correlated columns in window functions is not supported',
  ],
  ['Not implemented Error: Unimplemented type for cast', 'Type for cast is not supported'],
])('the kernel lacks something: %s', (text, message) => {
  expect(kernelErrorToTessera(text)).toMatchObject({ name: 'NOT_SUPPORTED', message });
});
