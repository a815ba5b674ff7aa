import { describe, expect, it } from 'vitest';
import { formatByteSize, parseByteSize } from './byte-size.ts';
import { formatDuration, parseDurationMs } from './duration.ts';

describe('byte sizes', () => {
  it.each([
    ['0', 0],
    ['0B', 0],
    ['1KB', 1_000],
    ['1KiB', 1_024],
    ['1.5 GB', 1_500_000_000],
    ['2gib', 2_147_483_648],
    ['0.5KiB', 512],
    ['8PB', undefined],
    ['1.0001KB', undefined],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740992', undefined],
    ['9000TiB', undefined],
    ['-1B', undefined],
    ['1K', undefined],
    ['1e3', undefined],
    ['', undefined],
  ])('%j is %s', (text, bytes) => {
    expect(parseByteSize(text)).toBe(bytes);
  });
  it.each([0, 1, 1_000, 1_024, 104_857_600, 1_500_000, 12_345])(
    '%i survives writing and reading',
    (bytes) => {
      expect(parseByteSize(formatByteSize(bytes))).toBe(bytes);
    },
  );
  it('writes the shortest exact form', () => {
    expect([0, 104_857_600, 1_000_000, 12_345].map(formatByteSize)).toEqual([
      '0B',
      '100MiB',
      '1MB',
      '12345B',
    ]);
  });
});

describe('durations', () => {
  it.each([
    ['30s', 30_000],
    ['1.5h', 5_400_000],
    ['7d', 604_800_000],
    ['0s', 0],
    ['30', undefined],
    ['30 s', undefined],
    ['30ms', undefined],
    ['-1s', undefined],
    ['1M', undefined],
    ['99999999999999d', undefined],
  ])('%j is %s', (text, ms) => {
    expect(parseDurationMs(text)).toBe(ms);
  });
  it('writes the largest unit that divides', () => {
    expect([0, 90_000, 60_000, 3_600_000, 86_400_000, 1_500].map(formatDuration)).toEqual([
      '0s',
      '90s',
      '1m',
      '1h',
      '1d',
      '1.5s',
    ]);
  });
});
