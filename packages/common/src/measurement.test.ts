import { expect, test } from 'vitest';
import { measurement } from './measurement.ts';

test('what is told reaches all who listen, until they stop', () => {
  const steps = measurement<{ n: number }>('test');
  const heard: number[] = [];
  steps.tell({ n: 1 });
  const ends = [1, 10].map((factor) => steps.listen(({ n }) => heard.push(n * factor)));
  steps.tell({ n: 2 });
  ends[1]!();
  steps.tell({ n: 3 });
  ends[0]!();
  steps.tell({ n: 4 });
  expect(heard).toEqual([2, 20, 3]);
});
