import { expect, it } from 'vitest';
import { constantText } from './expression-text.ts';

const INTEGER = { id: 'INTEGER' };

it('shows the values of constant lists and of types that it does not know', () => {
  const one = { type: INTEGER, value: 1 };
  expect(
    constantText({ type: { id: 'LIST' }, value: { children: [one, { type: INTEGER, is_null: true }] } }),
  ).toBe('[1, NULL]');
  expect(constantText({ type: { id: 'LIST' }, value: { children: [] } })).toBe('[]');
  expect(constantText({ type: { id: 'INTERVAL' }, value: { months: 1, days: 0 } })).toBe(
    '{"months":1,"days":0}',
  );
});
