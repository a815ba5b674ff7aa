import { expect, test } from 'vitest';
import { parseCommandLine } from './command-line.ts';
import { DEFAULT_OPTIONS } from './options.ts';

const run = { kind: 'run', json: undefined, html: undefined, quiet: false };

test('reads words and options, also after the separator of a package manager', () => {
  const expected = {
    ...run,
    benchmarks: ['upload', 'results'],
    options: { ...DEFAULT_OPTIONS, url: 'http://h:1', scale: 0.5 },
    json: 'out.json',
  };
  const args = ['upload', 'results', '--url', 'http://h:1', '--scale', '0.5', '--json', 'out.json'];
  expect(parseCommandLine(args)).toEqual(expected);
  expect(parseCommandLine(['--', ...args])).toEqual(expected);
  expect(parseCommandLine(['run', ...args])).toEqual(expected);
});

test('measures at full size, with plain DuckDB as the peer, unless options say otherwise', () => {
  expect(parseCommandLine(['all'])).toEqual({ ...run, benchmarks: ['all'], options: DEFAULT_OPTIONS });
});

test('splits lists at commas', () => {
  const args = ['tpch', '--peers', 'duckdb, postgres', '--nodes=1,2', '--queries=q01,q05', '--quiet'];
  expect(parseCommandLine(args)).toMatchObject({
    options: { peers: ['duckdb', 'postgres'], nodes: [1, 2], queries: ['q01', 'q05'] },
  });
  expect(
    parseCommandLine(['tpch', '--peer-url', 'a=http://h:1', '--peer-url=b=postgres://p@h/d']),
  ).toMatchObject({ options: { peerUrls: { a: 'http://h:1', b: 'postgres://p@h/d' } } });
});

test('knows its other commands', () => {
  expect(parseCommandLine(['list']).kind).toBe('list');
  expect(parseCommandLine(['compare', 'a.json', 'b.json'])).toEqual({
    kind: 'compare',
    before: 'a.json',
    after: 'b.json',
  });
  expect(parseCommandLine(['report', 'a.json', '--html', 'a.html'])).toEqual({
    kind: 'report',
    files: ['a.json'],
    html: 'a.html',
  });
  expect(parseCommandLine(['generate', 'tpch', '--scale', '3', '--out', 'd'])).toEqual({
    kind: 'generate',
    workload: 'tpch',
    scaleFactor: 3,
    out: 'd',
  });
});

test.for(['0', '-1', '1.5', 'x', ''])('refuses --scale=%s', (scale) => {
  expect(() => parseCommandLine(['all', `--scale=${scale}`])).toThrow(
    `--scale: expected a number above 0 up to 1, got "${scale}"`,
  );
});

test.for([
  [['all', '--speed'], '--speed'],
  [['tpch', '--runs=1.5'], '--runs: expected a number from 1 on'],
  [['tpch', '--nodes=1,x'], '--nodes: expected a number from 1 on, got "x"'],
  [['all', '--url=localhost:1'], '--url: expected a URL'],
  [['tpch', '--peer-url=http://h'], '--peer-url: expected name=URL'],
  [['tpch', '--peer-url=a=ftp://h'], '--peer-url: expected a URL of http, https or postgres'],
  [['all', '--user=u'], '--user: needs --url or --peer-url'],
  [['all', '--token=t'], '--token: needs --url or --peer-url'],
  [['all', '--url=http://h', '--user=u', '--token=t'], '--user or --token, not both'],
  [['report'], 'report: name one JSON file'],
  [['report', 'a.json', '--html=x', '--markdown'], 'not both'],
  [['compare', 'a.json'], 'compare: name two'],
  [['generate', 'tpch'], 'generate: --out'],
  [['generate'], 'generate: name one workload'],
] as const)('refuses %j', ([args, message]) => {
  expect(() => parseCommandLine(args)).toThrow(message);
});
