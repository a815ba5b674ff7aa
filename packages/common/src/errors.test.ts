import { expect, test } from 'vitest';
import { type ErrorData, TesseraError } from './errors.ts';

const crossing = (error: TesseraError) =>
  TesseraError.fromData(JSON.parse(JSON.stringify(error.toData())) as ErrorData);

test('the parameters of an error survive a process boundary', () => {
  const params = { node: 'a:1', stage: 3, task: 7, attempt: 2, reason: 'gone' };
  const error = crossing(TesseraError.of('FETCH_FAILED', params));
  expect(error.name).toBe('FETCH_FAILED');
  expect(error.params).toEqual(params);
});

test('a message is not repeated', () => {
  expect(TesseraError.of('OUT_OF_MEMORY', { message: 'too much' }).toData().params).toBeUndefined();
});
