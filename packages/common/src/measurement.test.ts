import { expect, test } from 'vitest';
import { measurement } from './measurement.ts';

test('an event reaches all listeners until they stop', () => {
  const steps = measurement<{ n: number }>('test');
  const heard: number[] = [];
  steps.emit({ n: 1 });
  const ends = [1, 10].map((factor) => steps.listen(({ n }) => heard.push(n * factor)));
  steps.emit({ n: 2 });
  ends[1]!();
  steps.emit({ n: 3 });
  ends[0]!();
  steps.emit({ n: 4 });
  expect(heard).toEqual([2, 20, 3]);
});
