import { expect, test } from 'vitest';
import { faultPlan } from './fault-plan.ts';
import { Journal } from './journal.ts';

test('a seed determines which nodes get which faults', () => {
  expect(faultPlan(6, 3, 42)).toEqual(faultPlan(6, 3, 42));
  expect(faultPlan(6, 3, 42)).not.toEqual(faultPlan(6, 3, 43));
  expect(new Set(faultPlan(2, 3, 1).map(({ kind }) => kind))).toEqual(new Set(['kill', 'pause']));
  expect(new Set(faultPlan(60, 3, 1).map(({ node }) => node))).toEqual(new Set([0, 1, 2]));
});

test('the longest time without an answer includes the time before the first and after the last one', () => {
  const journal = new Journal();
  for (const time of [100, 200, 900, 1_000]) journal.answer(time, true);
  expect(journal.longestSilence(150, 950)).toBe(700);
  expect(journal.longestSilence(150, 5_000)).toBe(4_000);
  expect(journal.longestSilence(1_000, 1_500)).toBe(500);
  expect(journal.bySecond(0, 2)).toEqual([3, 1]);
});

test('availability counts the requests that no node answered', () => {
  const journal = new Journal();
  journal.answer(1, true);
  journal.answer(2, false);
  journal.answer(3, true);
  journal.refused++;
  expect(journal.availability).toBe(0.75);
  expect(journal.elsewhere).toBe(1);
  journal.fail(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));
  expect([...journal.failures]).toEqual([['ECONNREFUSED', 1]]);
});
