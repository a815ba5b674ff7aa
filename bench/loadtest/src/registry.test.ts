import { expect, test } from 'vitest';
import { DEFAULT_OPTIONS } from './options.ts';
import { BENCHMARKS, chosenBenchmarks } from './registry.ts';
import { usage } from './usage.ts';

const names = (words: readonly string[], options = DEFAULT_OPTIONS) =>
  chosenBenchmarks(words, options).map(({ name }) => name);

test('every benchmark has a name of its own, and stands in the usage', () => {
  expect(new Set(BENCHMARKS.map(({ name }) => name)).size).toBe(BENCHMARKS.length);
  for (const { name, about } of BENCHMARKS)
    expect(usage()).toMatch(new RegExp(`^ {2}${name} +${about.replace(/[.*+?^$()[\]|]/g, '\\$&')}`, 'm'));
});

test('runs what is named in the order of the registry, and all without what is run by name only', () => {
  expect(names(['tpch', 'select42'])).toEqual(['select42', 'tpch']);
  expect(names(['all'])).not.toContain('cluster');
  expect(names(['all', 'cluster'])).toContain('cluster');
});

test('at an endpoint that runs already, all is what can be measured there', () => {
  const options = { ...DEFAULT_OPTIONS, url: 'http://h:1' };
  expect(names(['all'], options)).toContain('select42');
  expect(names(['all'], options)).not.toContain('memory');
  expect(() => names(['memory'], options)).toThrow('memory cannot run: it starts nodes of its own');
});

test('tells of a name that is none what may be meant', () => {
  expect(() => names(['uplaod'])).toThrow('Unknown benchmark uplaod; did you mean "upload"?');
  expect(() => names(['nothing-like-it'])).toThrow(/^Unknown benchmark nothing-like-it$/);
  expect(() => names([])).toThrow('Name a benchmark');
});
