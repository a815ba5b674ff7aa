import { describe, expect, it } from 'vitest';
import type { TableFacts, ValueShares } from '../../distributed-plan.ts';
import type { PlanExpression } from '../../plan-nodes.ts';
import { reference } from '../../relational/expressions/references.ts';
import { compare, constant, operator } from '../tree/expressions.ts';
import { distinctAmong, matchingPairs, shareOfValue } from './common-values.ts';
import { selectivity } from './selectivity.ts';

const shares = (nulls: number, common: Readonly<Record<string, number>> = {}): ValueShares => ({
  nulls,
  common: new Map(Object.entries(common)),
});

describe('pairs of rows with equal keys', () => {
  const key = (distinct: number, known?: ValueShares) => ({ distinct, shares: known });

  it('are one out of the larger number of distinct values if nothing else is known', () => {
    expect(matchingPairs(key(100), key(20))).toBe(1 / 100);
    expect(matchingPairs(key(100, shares(0)), key(20, shares(0)))).toBe(1 / 100);
  });

  it('are as many as the common values of both sides make', () => {
    const skewed = key(1001, shares(0, { a: 0.5 }));
    expect(matchingPairs(skewed, skewed)).toBeCloseTo(0.25 + 0.25 / 1000, 5);
  });

  it('are not increased by a value that is common on one side only', () => {
    const fact = key(1000, shares(0, { a: 0.9 }));
    expect(matchingPairs(fact, key(1000, shares(0)))).toBeCloseTo(1 / 1000, 5);
    expect(matchingPairs(key(1000, shares(0)), fact)).toBeCloseTo(1 / 1000, 5);
  });

  it('are none for NULL', () => {
    expect(matchingPairs(key(100, shares(0.75)), key(100))).toBeCloseTo(0.25 / 100, 8);
    expect(matchingPairs(key(100, shares(1)), key(100))).toBe(0);
  });
});

it('rows without a common value share the remaining values', () => {
  const known = shares(0.1, { a: 0.5, b: 0.2 });
  expect(shareOfValue(known, 'a', 22)).toBe(0.5);
  expect(shareOfValue(known, 'x', 22)).toBeCloseTo(0.2 / 20, 8);
  // No other value is more frequent than the least frequent of the common ones.
  expect(shareOfValue(shares(0, { a: 0.01 }), 'x', 2)).toBe(0.01);
  // A value that no row of the sample had may have been added.
  expect(shareOfValue(shares(0, { a: 0.5, b: 0.5 }), 'x', 2)).toBeGreaterThan(0);
});

it('there are no more groups than common values and rows without them', () => {
  expect(distinctAmong(undefined, 1000, 1e6)).toBe(1000);
  expect(distinctAmong(shares(0), 1e5, 1e6)).toBe(1e5);
  expect(distinctAmong(shares(0.5, { a: 0.49 }), 1e5, 1e6)).toBeCloseTo(2 + 1e4, 3);
});

describe('conditions on a column with common values', () => {
  const type = { id: 'VARCHAR' };
  const known: Readonly<Record<string, ValueShares>> = { kind: shares(0.3, { view: 0.6 }) };
  const facts = { values: { version: 1, of: (name: string) => known[name] } } as unknown as TableFacts;
  const columns = { distinct: [101, 101], tableColumns: [{ facts, name: 'kind' }, undefined] };
  const share = (predicate: PlanExpression) => selectivity(predicate, columns);
  const [kind, unknown] = [reference(0, type, 'kind'), reference(1, type, 'unknown')];
  const text = (value: string) => constant(type, value);

  it.each<readonly [string, PlanExpression, number]>([
    ['= a common value', compare('COMPARE_EQUAL', kind, text('view')), 0.6],
    ['a common value =', compare('COMPARE_EQUAL', text('view'), kind), 0.6],
    ['= another value', compare('COMPARE_EQUAL', kind, text('buy')), 0.001],
    ['<>', { ...compare('COMPARE_EQUAL', kind, text('view')), type: 'COMPARE_NOTEQUAL' }, 0.4],
    ['IN', operator('COMPARE_IN', [kind, text('view'), text('buy')], { id: 'BOOLEAN' }), 0.601],
    ['NOT IN', operator('COMPARE_NOT_IN', [kind, text('view'), text('buy')], { id: 'BOOLEAN' }), 0.399],
    ['IS NULL', operator('OPERATOR_IS_NULL', [kind], { id: 'BOOLEAN' }), 0.3],
    ['IS NOT NULL', operator('OPERATOR_IS_NOT_NULL', [kind], { id: 'BOOLEAN' }), 0.7],
    ['= of a column without statistics', compare('COMPARE_EQUAL', unknown, text('view')), 1 / 101],
    ['IS NULL without statistics', operator('OPERATOR_IS_NULL', [unknown], { id: 'BOOLEAN' }), 0.04],
  ])('%s', (_, predicate, expected) => {
    expect(share(predicate)).toBeCloseTo(expected, 8);
  });
});
