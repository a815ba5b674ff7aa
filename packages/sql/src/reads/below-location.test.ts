import { expect, test } from 'vitest';
import { belowLocation } from './below-location.ts';

test.for([
  ['s3://b/p', '*.csv', 's3://b/p/*.csv'],
  ['s3://b/p/', 'a..b/..c/d..', 's3://b/p/a..b/..c/d..'],
  ['/data/', '**', '/data/**'],
] as const)('%s and %s', ([url, pattern, joined]) => {
  expect(belowLocation(url, pattern)).toBe(joined);
});

test.for(['..', '../x', 'a/../../x', 'a/..', '%2e%2e/x', '.%2E/x', 'a/..%2fx', 'a%2F../x', '..\\x'])(
  '%s leads out',
  (pattern) => {
    expect(() => belowLocation('file:///data', pattern)).toThrow(
      expect.objectContaining({ name: 'INVALID_ARGUMENT' }),
    );
  },
);
