import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tally-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function run(name: string, text: string): { lines: string[]; code: number | null } {
  writeFileSync(
    join(folder, `${name}.test.ts`),
    `import { beforeAll, describe, expect, test } from 'vitest';\n${text}`,
  );
  const { stdout, status } = spawnSync(
    process.execPath,
    [join(root, 'scripts', 'test.ts'), '--root', folder],
    {
      encoding: 'utf8',
      // The runner must not believe that it is part of the run that contains this test.
      env: { PATH: process.env.PATH },
    },
  );
  return { lines: stdout.trimEnd().split('\n'), code: status };
}

test('the last line is the sum, and a successful run exits with 0', () => {
  const { lines, code } = run('good', "test('a', () => {}); test('b', () => {}); test.todo('c');");
  expect(lines.at(-1)).toBe('2 passed, 0 failed, 1 skipped');
  expect(code).toBe(0);
});

test('skipped tests are listed with their reason before the sum', () => {
  const { lines } = run(
    'skips',
    "test('a', () => {}); test('b', (t) => t.skip('no data here')); describe.skip('s (skipped where there is none)', () => test('c', () => {})); test.skip('d: skipped, it is late', () => {});",
  );
  expect(lines.at(-4)).toMatch(/^skipped: .*skips\.test\.ts > b: no data here$/);
  expect(lines.at(-3)).toMatch(/ > c: where there is none$/);
  expect(lines.at(-2)).toMatch(/ > d: skipped, it is late: it is late$/);
  expect(lines.at(-1)).toBe('1 passed, 0 failed, 3 skipped');
});

test.each([
  ['a failing test', "test('a', () => expect(1).toBe(2));", '0 passed, 1 failed, 0 skipped'],
  ['a file that does not load', "import './gone.ts'; test('a', () => {});", '0 passed, 1 failed, 0 skipped'],
  ['a file without tests', '', '0 passed, 1 failed, 0 skipped'],
  [
    'a failing hook',
    "describe('s', () => { beforeAll(() => { throw new Error('no') }); test('a', () => {}); });",
    '0 passed, 1 failed, 1 skipped',
  ],
  [
    'an error that nobody catches',
    "test('a', async () => { void Promise.reject(new Error('lost')); });",
    '1 passed, 0 failed, 0 skipped',
  ],
  ['nothing but skipped tests', "test.skip('a', () => {});", '0 passed, 0 failed, 1 skipped'],
  [
    'a worker that dies',
    "test('a', () => process.kill(process.pid, 'SIGKILL'));",
    '0 passed, 1 failed, 0 skipped',
  ],
])('%s makes the run fail', (_, text, sum) => {
  const { lines, code } = run('bad', text);
  expect(lines.at(-1)).toBe(sum);
  expect(code).toBe(1);
});
