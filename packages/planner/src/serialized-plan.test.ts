import { atOnce } from '@tessera/common';
import { expect, it } from 'vitest';
import { flattenConjunctions } from './serialized-plan.ts';

type Expression = { type: string; index?: number; children?: Expression[]; child?: Expression };

const ref = (index: number): Expression => ({ type: 'BOUND_REF', index });
const and = (...children: Expression[]): Expression => ({ type: 'CONJUNCTION_AND', children });
const or = (...children: Expression[]): Expression => ({ type: 'CONJUNCTION_OR', children });

it('a chain of binary operators becomes one list in its order, whether it is nested to the left or to the right', () => {
  const plan = { expressions: [or(or(ref(0), ref(1)), or(ref(2), or(ref(3), ref(4))))] };
  atOnce(flattenConjunctions(plan));
  expect(plan.expressions).toEqual([or(ref(0), ref(1), ref(2), ref(3), ref(4))]);
});

it('a large plan is walked in many steps', () => {
  const plan = { expressions: Array.from({ length: 10_000 }, (_, i) => ref(i)) };
  expect([...flattenConjunctions(plan)].length).toBeGreaterThan(5);
});

it('operands separated by another operator are not merged', () => {
  const not: Expression = { type: 'OPERATOR_NOT', children: [or(or(ref(1), ref(2)), ref(3))] };
  const plan = or(and(ref(0), and(not, ref(4))), ref(5));
  atOnce(flattenConjunctions(plan));
  const flatNot = { type: 'OPERATOR_NOT', children: [or(ref(1), ref(2), ref(3))] };
  expect(plan).toEqual(or(and(ref(0), flatNot, ref(4)), ref(5)));
});

it('a chain may have any length', () => {
  let plan = ref(0);
  for (let i = 1; i < 100_000; i++) plan = or(plan, and(ref(i), ref(i)));
  atOnce(flattenConjunctions(plan));
  expect(plan.children).toHaveLength(100_000);
  expect(plan.children![99_999]).toEqual(and(ref(99_999), ref(99_999)));
});
