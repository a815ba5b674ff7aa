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

test('a long message keeps its beginning and its end', () => {
  const { message } = TesseraError.of('UNKNOWN_SETTING', { name: '🦆'.repeat(250_000), nearest: undefined });
  expect(message).toMatch(/^Unknown setting [🦆\u{fffd}]+ … [🦆\u{fffd}]+$/u);
  expect(message.length).toBeLessThan(8_100);
  expect(
    TesseraError.of('UNKNOWN_SETTING', { name: 'x'.repeat(7_000), nearest: undefined }).message,
  ).not.toContain('…');
});
