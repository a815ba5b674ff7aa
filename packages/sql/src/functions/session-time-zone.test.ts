import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Evaluator, startEvaluator } from './testing/evaluator.ts';

let newYork: Evaluator;
beforeAll(async () => {
  newYork = await startEvaluator('America/New_York');
});
afterAll(() => newYork[Symbol.asyncDispose]());

const AT = "TIMESTAMPTZ '2024-07-01 02:30:00+00'";

test.each([
  [`to_char(${AT}, 'YYYY-MM-DD HH24:MI TZH:TZM')`, '2024-06-30 22:30 -04:00'],
  [`date_trunc('day', ${AT}) = TIMESTAMPTZ '2024-06-30 04:00:00+00'`, 'true'],
  [`extract(hour FROM ${AT})`, '22'],
  [`to_yyyymmdd(${AT})`, '20240630'],
  ["to_timestamp('2024-07-01 00:00', 'YYYY-MM-DD HH24:MI') = TIMESTAMPTZ '2024-07-01 04:00:00+00'", 'true'],
  ["date_add('day', 1, TIMESTAMPTZ '2024-03-10 04:30:00+00') = TIMESTAMPTZ '2024-03-11 03:30:00+00'", 'true'],
  ["localtimestamp = (now() AT TIME ZONE 'America/New_York')", 'true'],
  ["current_date = (now() AT TIME ZONE 'America/New_York')::date", 'true'],
  ['from_unixtime(0)', '1970-01-01 00:00:00'],
])('%s in the zone of the session', async (sql, expected) => {
  expect(await newYork.evaluate(sql)).toBe(expected);
});
