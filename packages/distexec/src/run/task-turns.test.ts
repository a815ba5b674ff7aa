import { expect, it } from 'vitest';
import { TaskTurns } from './task-turns.ts';

const never = new AbortController().signal;

/** Starts several takers and records the order in which they get their slots. */
function takers(turns: TaskTurns) {
  const order: string[] = [];
  const ends = new Map<string, () => void>();
  const take = (name: string, alone = false, signal = never) =>
    turns.take(alone, signal).then((end) => {
      order.push(name);
      ends.set(name, end);
    });
  const end = async (name: string) => {
    ends.get(name)!();
    await Promise.resolve();
  };
  return { order, take, end };
}

it('the limit of tasks run at once, the others in order of arrival', async () => {
  const { order, take, end } = takers(new TaskTurns(2));
  const waiting = ['a', 'b', 'c', 'd'].map((name) => take(name));
  await Promise.all(waiting.slice(0, 2));
  expect(order).toEqual(['a', 'b']);
  await end('b');
  await waiting[2];
  await end('a');
  await waiting[3];
  expect(order).toEqual(['a', 'b', 'c', 'd']);
});

it('a task that must run alone waits for earlier tasks and delays later ones', async () => {
  const turns = new TaskTurns(8);
  const { order, take, end } = takers(turns);
  const waiting = [take('a'), take('b'), take('alone', true), take('c'), take('d')];
  await Promise.all(waiting.slice(0, 2));
  await end('a');
  expect(turns.running).toBe(1);
  await end('b');
  await waiting[2];
  expect([turns.running, turns.waiting]).toEqual([1, 2]);
  await end('alone');
  await Promise.all(waiting);
  expect(order).toEqual(['a', 'b', 'alone', 'c', 'd']);
});

it('a cancelled task does not delay those behind it', async () => {
  const { order, take, end } = takers(new TaskTurns(8));
  const controller = new AbortController();
  await take('a');
  const alone = take('alone', true, controller.signal);
  const behind = take('b');
  controller.abort();
  await expect(alone).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
  await behind;
  await end('a');
  await take('last', true, AbortSignal.abort()).catch(() => order.push('refused'));
  expect(order).toEqual(['a', 'b', 'refused']);
});

it('while memory is short each waits for the one before it', async () => {
  let isCrowded = true;
  const { order, take, end } = takers(new TaskTurns(8, () => isCrowded));
  const waiting = ['a', 'b', 'c', 'd'].map((name) => take(name));
  await waiting[0];
  expect(order).toEqual(['a']);
  await end('a');
  await waiting[1];
  expect(order).toEqual(['a', 'b']);
  isCrowded = false;
  await end('b');
  await Promise.all(waiting);
  expect(order).toEqual(['a', 'b', 'c', 'd']);
});
