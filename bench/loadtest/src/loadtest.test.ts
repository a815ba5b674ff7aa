import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BENCHMARKS } from './registry.ts';
import { readReport } from './report/read-report.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const TINY = '0.001';
const TIME_MS = 400_000;

const run = promisify(execFile);
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'loadtest-test-'));
});
afterAll(() => rm(directory, { recursive: true }));

const loadtest = (...args: string[]) =>
  run(process.execPath, [MAIN, ...args], { env: { ...process.env, TMPDIR: directory } });

const all = BENCHMARKS.filter((entry) => entry.inAll).map(({ name }) => name);

/** Running all benchmarks takes minutes. */
const isWhole = process.env.TESSERA_LOADTEST === 'all';
const measured = isWhole ? all : ['select42', 'tpch'];
const options = isWhole ? [] : ['--queries', 'q01,q06', '--runs', '1', '--peers', 'duckdb'];

test('measures against servers of its own, reports it, and leaves nothing behind', {
  timeout: TIME_MS,
}, async () => {
  const json = join(directory, 'report.json');
  const { stdout } = await loadtest(...measured, ...options, '--scale', TINY, '--json', json, '--quiet');
  const report = await readReport(json);

  expect(report.failures).toEqual([]);
  expect(report.results.map((result) => result.benchmark)).toEqual(measured);
  for (const { title, lines } of report.results) {
    expect(stdout).toContain(title);
    for (const { what, figures } of lines) {
      for (const [name, { median, min, max }] of Object.entries(figures)) {
        expect(Number.isFinite(median) && min <= median && median <= max, `${title}, ${what}: ${name}`).toBe(
          true,
        );
      }
    }
  }
  expect(await readdir(directory)).toEqual(['report.json']);

  const page = await loadtest('report', json);
  expect(page.stdout).toMatch(/^# Performance\n/);
  for (const { title } of report.results) expect(page.stdout).toContain(`\n## ${title}\n`);
});

test.for([
  [['uplaod'], 'Unknown benchmark uplaod'],
  [[], 'Name a benchmark'],
  [['report'], 'report: name one JSON file'],
] as const)('%j ends with 2 and says why', async ([args, message]) => {
  await expect(loadtest(...args)).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message),
  });
});
