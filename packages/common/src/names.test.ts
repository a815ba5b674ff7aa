import { expect, test } from 'vitest';
import { nearestName } from './names.ts';

test.each([
  ['trps', ['stations', 'trips'], 'trips'],
  ['tt', ['t'], 't'],
  ['ab', ['cb', 'xyz'], 'cb'],
  ['time_zone', ['timezone', 'max_threads'], 'timezone'],
  ['trips', ['stations'], undefined],
  ['x', ['t', 'ab'], undefined],
  ['xy', ['ab'], undefined],
])('the nearest name to %s in %j is %s', (name, candidates, nearest) => {
  expect(nearestName(name, candidates)).toBe(nearest);
});
