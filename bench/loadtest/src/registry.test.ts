import { expect, test } from 'vitest';
import { DEFAULT_OPTIONS } from './options.ts';
import { BENCHMARKS, chosenBenchmarks } from './registry.ts';
import { usage } from './usage.ts';

const names = (words: readonly string[], options = DEFAULT_OPTIONS) =>
  chosenBenchmarks(words, options).map(({ name }) => name);

test('every benchmark has a unique name and is listed in the usage', () => {
  expect(new Set(BENCHMARKS.map(({ name }) => name)).size).toBe(BENCHMARKS.length);
  for (const { name, about } of BENCHMARKS)
    expect(usage()).toMatch(new RegExp(`^ {2}${name} +${about.replace(/[.*+?^$()[\]|]/g, '\\$&')}`, 'm'));
});

test('runs the named benchmarks in the order of the registry; `all` omits those that must be named', () => {
  expect(names(['tpch', 'select42'])).toEqual(['select42', 'tpch']);
  expect(names(['all'])).not.toContain('cluster');
  expect(names(['all', 'cluster'])).toContain('cluster');
});

test('with --url, `all` means the benchmarks that can measure a running endpoint', () => {
  const options = { ...DEFAULT_OPTIONS, url: 'http://h:1' };
  expect(names(['all'], options)).toContain('select42');
  expect(names(['all'], options)).not.toContain('memory');
  expect(() => names(['memory'], options)).toThrow('memory cannot run: it starts nodes of its own');
});

test('suggests a name for an unknown benchmark', () => {
  expect(() => names(['uplaod'])).toThrow('Unknown benchmark uplaod; did you mean "upload"?');
  expect(() => names(['nothing-like-it'])).toThrow(/^Unknown benchmark nothing-like-it$/);
  expect(() => names([])).toThrow('Name a benchmark');
});
