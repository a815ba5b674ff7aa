import { expect, test } from 'vitest';
import { atOnce, inTurns, othersRead, pauses, type Steps } from './turns.ts';

function* work(done: string[]): Steps<string> {
  for (const step of ['first', 'second']) {
    done.push(step);
    yield;
  }
  return 'result';
}

test('the event loop runs between two steps', async () => {
  const done: string[] = [];
  const working = inTurns(work(done), othersRead);
  setImmediate(() => done.push('another'));
  expect(await working).toBe('result');
  expect(done).toEqual(['first', 'another', 'second']);
});

test('at once, all steps are taken in one turn', () => {
  const done: string[] = [];
  expect(atOnce(work(done))).toBe('result');
  expect(done).toEqual(['first', 'second']);
});

test('a pause lets the event loop run once the parts before it took long', async () => {
  let clock = 0;
  const pause = pauses(() => clock);
  const done: string[] = [];
  const part = async (ms: number) => {
    clock += ms;
    await pause();
    done.push(`${ms} ms`);
  };
  setImmediate(() => done.push('another'));
  for (const ms of [1, 2, 3]) await part(ms);
  setImmediate(() => done.push('one more'));
  for (const ms of [1, 2, 3]) await part(ms);
  expect(done).toEqual(['1 ms', '2 ms', 'another', '3 ms', '1 ms', '2 ms', 'one more', '3 ms']);
});
