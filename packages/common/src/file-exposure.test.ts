import { expect, it } from 'vitest';
import { exposure } from './file-exposure.ts';

it.each([
  [0o600, 1000, undefined],
  [0o400, 1000, undefined],
  [0o640, 1000, 'group'],
  [0o440, 0, undefined],
  [0o460, 0, 'group'],
  [0o644, 1000, 'everybody'],
  [0o644, 0, 'everybody'],
  [0o602, 1000, 'everybody'],
] as const)('mode %o of user %d: %s', (mode, uid, who) => {
  expect(exposure({ mode, uid })).toBe(who);
});
