import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expandGlob, globMatcher } from './glob.ts';

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tessera-glob-'));
  await mkdir(join(root, 'd/e/f'), { recursive: true });
  for (const name of [
    'a.csv',
    'b.csv',
    'B.csv',
    '.hidden.csv',
    '{a,b}.x',
    '+(a)\\.y',
    '-.z',
    ']q',
    'ü.u',
    'd/a.csv',
  ]) {
    await writeFile(join(root, name), '');
  }
  await writeFile(join(root, 'd/e/f/a.csv'), '');
  await writeFile(join(root, 'a'.repeat(200)), '');
  await symlink('..', join(root, 'd/e/up'));
});
afterAll(() => rm(root, { recursive: true }));

it.each([
  ['*.csv', ['B.csv', 'a.csv', 'b.csv']],
  ['[a-b].csv', ['a.csv', 'b.csv']],
  ['[!a-z]*.csv', ['B.csv']],
  ['.*.csv', ['.hidden.csv']],
  ['{a,b}.*', ['{a,b}.x']],
  ['+(a)\\.?', ['+(a)\\.y']],
  ['[z-].z', ['-.z']],
  ['[]a]q', [']q']],
  ['?.u', ['ü.u']],
  ['**/a.csv', ['a.csv', 'd/a.csv', 'd/e/f/a.csv']],
  ['d/**', ['d/a.csv', 'd/e/f/a.csv', 'd/e/up']],
  ['d/**/**/a.csv', ['d/a.csv', 'd/e/f/a.csv']],
  ['*/a.csv', ['d/a.csv']],
  ['d/*/f/*', ['d/e/f/a.csv']],
  ['a.csv/*', []],
  ['none/*', []],
  ['[ab', []],
])('%s', async (pattern, expected) => {
  const found = new Set<string>();
  for await (const path of expandGlob(root, pattern.split('/'), new AbortController().signal))
    found.add(path.slice(root.length + 1));
  expect([...found].sort()).toEqual(expected);
});

it('stays fast on a pattern made to backtrack', async () => {
  const found = [];
  for await (const path of expandGlob(root, [`${'*a'.repeat(90)}*b`], new AbortController().signal))
    found.push(path);
  expect(found).toEqual([]);
});

it('stops walking when the request ends', async () => {
  const walk = expandGlob(root, ['**', 'nothing'], AbortSignal.abort());
  await expect(walk.next()).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
});

it.each([
  ['d/**', 'd/e/f', true],
  ['d/**', 'd', false],
  ['**/a', 'a', true],
  ['**/a', 'x/y/a', true],
  ['**/a', 'x/.y/a', false],
  ['**', '.x', false],
  ['a/**/b/**/c', 'a/b/b/x/c', true],
  ['a/**/b/**/c', 'a/x/c', false],
  ['*/x?.[!c]*', 'd/x1.dat', true],
  ['*/x?.[!c]*', 'd/x1.csv', false],
  ['*', 'a/b', false],
])('%s against the name %s: %s', (pattern, name, expected) => {
  expect(globMatcher(pattern.split('/'))(name.split('/'))).toBe(expected);
});

it('matches names fast against many depths', () => {
  const matches = globMatcher([...Array.from({ length: 100 }, () => ['**', 'a']).flat(), 'b']);
  expect(matches(Array.from({ length: 400 }, () => 'a'))).toBe(false);
});
