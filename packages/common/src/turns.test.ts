import { expect, test } from 'vitest';
import { atOnce, inTurns, type Steps } from './turns.ts';

function* work(done: string[]): Steps<string> {
  for (const step of ['first', 'second']) {
    done.push(step);
    yield;
  }
  return 'result';
}

test('the event loop runs between two steps', async () => {
  const done: string[] = [];
  const working = inTurns(work(done));
  setImmediate(() => done.push('another'));
  expect(await working).toBe('result');
  expect(done).toEqual(['first', 'another', 'second']);
});

test('at once, all steps are taken in one turn', () => {
  const done: string[] = [];
  expect(atOnce(work(done))).toBe('result');
  expect(done).toEqual(['first', 'second']);
});
