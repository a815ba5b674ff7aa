import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AGGREGATE_CASES } from './cases/aggregate.ts';
import { ARRAY_CASES } from './cases/array.ts';
import type { Cases } from './cases/case.ts';
import { CITY_HASH_CASES } from './cases/city-hash.ts';
import { DATE_CASES } from './cases/date.ts';
import { JSON_BYTEA_VECTOR_CASES } from './cases/json-bytea-vector.ts';
import { NUMERIC_CASES } from './cases/numeric.ts';
import { OTHER_CASES } from './cases/other.ts';
import { STRING_CASES } from './cases/string.ts';
import { WINDOW_CASES } from './cases/window.ts';
import { DIALECT_FUNCTIONS } from './index.ts';
import { type Evaluator, startEvaluator } from './testing/evaluator.ts';

const CASES: Readonly<Record<string, Cases>> = {
  aggregate: AGGREGATE_CASES,
  window: WINDOW_CASES,
  array: ARRAY_CASES,
  string: STRING_CASES,
  'date and time': DATE_CASES,
  numeric: NUMERIC_CASES,
  'json, bytea, vector': JSON_BYTEA_VECTOR_CASES,
  other: OTHER_CASES,
  'city hash': CITY_HASH_CASES,
};

let evaluator: Evaluator;
beforeAll(async () => {
  evaluator = await startEvaluator();
});
afterAll(() => evaluator[Symbol.asyncDispose]());

describe('examples of the documentation', () => {
  test.each(DIALECT_FUNCTIONS.map((f) => [`${f.category}: ${f.name}`, f] as const))('%s', async (_, f) => {
    expect(await evaluator.evaluate(f.example)).toBe(f.result);
  });
});

for (const [category, cases] of Object.entries(CASES)) {
  describe(category, () => {
    for (const [name, rows] of Object.entries(cases)) {
      test.each(rows)(`${name}: %s`, async (sql, expected) => {
        if (expected !== null && typeof expected === 'object') {
          await expect(evaluator.evaluate(sql)).rejects.toThrow(expected.error);
        } else {
          expect(await evaluator.evaluate(sql)).toBe(expected);
        }
      });
    }
  });
}
