import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileProblems, repositoryFiles } from './committed-files.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'files-'));
  execFileSync('git', ['init', '-q'], { cwd: root });
});
afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, text: string | Buffer): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}
const problems = () => fileProblems(root, repositoryFiles(root));
// Written in two halves, because this file is checked too.
const home = (rest: string) => `/${'home'}/${rest}`;

test('files that git ignores are not looked at, new ones are', () => {
  write('.gitignore', 'ignored/\n');
  write('ignored/a.txt', home('ada/a.txt'));
  expect(problems()).toEqual([]);
  write('new.txt', `fine\nsee ${home('ada/a.txt')}\n`);
  expect(problems()).toEqual([`new.txt:2: must not be published: ${home('ada/')}`]);
});

test.each([
  ['a URL of a repository', 'https://example.com/work/items'],
  ['a path below a variable', `\${dir}${home('x/y')}`],
  ['a route', 'GET /work'],
  ['a relative path', 'src/work/items.ts'],
])('%s is not a path of a machine', (_, text) => {
  write('a.txt', text);
  expect(problems()).toEqual([]);
});

test('words the checkout keeps private are found whole, in any case', () => {
  write('.git/info/private-words', 'codename\n\n');
  write('a.txt', 'codenames are fine\nThe Codename, though\n');
  expect(problems()).toEqual(['a.txt:2: must not be published: Codename']);
});

test('source of more than 650 lines and files of more than a megabyte are problems', () => {
  write('fits.ts', 'x\n'.repeat(650));
  write('long.ts', 'x\n'.repeat(651));
  write('page.tsx', 'x\n'.repeat(651));
  write('generated/long.ts', 'x\n'.repeat(651));
  write('long.md', 'x\n'.repeat(651));
  write('big.bin', Buffer.alloc(1_000_001));
  expect(problems().sort()).toEqual([
    'big.bin: 1000001 bytes, more than 1000000',
    'long.ts: 651 lines, more than 650',
    'page.tsx: 651 lines, more than 650',
  ]);
});
