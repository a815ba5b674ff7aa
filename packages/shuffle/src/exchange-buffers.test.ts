import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { lockedMemory, reportLockedMemory } from './locked-memory.ts';

it('is the soft limit of the process', () => {
  const limits = (kibibytes: string) =>
    execFileSync('bash', ['-c', `ulimit -S -l ${kibibytes} && cat /proc/self/limits`], { encoding: 'utf8' });
  expect(lockedMemory(limits('32'))).toBe(32 * 1024);
  expect(
    lockedMemory('Max locked memory         unlimited            unlimited            bytes     \n'),
  ).toBe(Number.POSITIVE_INFINITY);
  expect(lockedMemory('')).toBeUndefined();
});

it.each([
  [65_536, 'warn', 65_536],
  [Number.POSITIVE_INFINITY, 'info', 'unlimited'],
])('%s is reported as %s', (limit, level, told) => {
  const lines: unknown[] = [];
  const line = (name: string) => (fields: object) => void lines.push([name, fields]);
  reportLockedMemory({ info: line('info'), warn: line('warn'), error: line('error') }, limit);
  expect(lines).toEqual([[level, expect.objectContaining({ memlockLimitBytes: told })]]);
});
