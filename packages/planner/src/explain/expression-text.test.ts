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

it('shows infinite times, and numbers beyond those that JSON has', () => {
  const most = 2n ** 63n - 1n;
  expect(constantText({ type: { id: 'TIMESTAMP' }, value: most })).toBe("'infinity'");
  expect(constantText({ type: { id: 'TIMESTAMP WITH TIME ZONE' }, value: -most })).toBe("'-infinity'");
  expect(constantText({ type: { id: 'DATE' }, value: 2 ** 31 - 1 })).toBe("'infinity'");
  expect(constantText({ type: { id: 'TIMESTAMP' }, value: 2n ** 60n })).toBe(`'${2 ** 60}'`);
  expect(constantText({ type: { id: 'INTERVAL' }, value: { micros: 2n ** 60n } })).toBe(
    `{"micros":${2 ** 60}}`,
  );
});
