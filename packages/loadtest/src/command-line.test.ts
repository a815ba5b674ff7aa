import { expect, test } from 'vitest';
import { parseCommandLine } from './command-line.ts';

test('reads words and options, also behind the separator of a package manager', () => {
  const expected = {
    words: ['upload', 'results'],
    url: 'http://h:1',
    scale: 0.5,
    json: 'out.json',
    help: false,
  };
  const args = ['upload', 'results', '--url', 'http://h:1', '--scale', '0.5', '--json', 'out.json'];
  expect(parseCommandLine(args)).toEqual(expected);
  expect(parseCommandLine(['--', ...args])).toEqual(expected);
});

test('measures at full size unless told otherwise', () => {
  expect(parseCommandLine(['all'])).toEqual({
    words: ['all'],
    url: undefined,
    scale: 1,
    json: undefined,
    help: false,
  });
});

test.for(['0', '-1', '1.5', 'x', ''])('refuses --scale=%s', (scale) => {
  expect(() => parseCommandLine(['all', `--scale=${scale}`])).toThrow(
    `--scale: expected a number above 0 up to 1, got "${scale}"`,
  );
});

test('refuses an option it does not have', () => {
  expect(() => parseCommandLine(['all', '--speed'])).toThrow('--speed');
});
