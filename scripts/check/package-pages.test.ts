import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packagePageProblems } from './package-pages.ts';

const manifest = {
  dependencies: { '@tessera/common': 'workspace:*', avsc: '5.7.9', '@scope/codec': '1.0.0' },
  devDependencies: { '@types/codec': '1.0.0', ajv: '8.20.0' },
};
const HEAD = '# store\n\n| dependency | reason |\n|---|---|\n';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'package-pages-'));
  mkdirSync(join(root, 'packages/store'), { recursive: true });
  writeFileSync(join(root, 'packages/store/package.json'), JSON.stringify(manifest));
});
afterEach(() => rmSync(root, { recursive: true }));

const writePage = (rows: string) => writeFileSync(join(root, 'packages/store/README.md'), HEAD + rows);

test('a page with a reason for every dependency is fine', () => {
  writePage('| avsc, @scope/codec | reading |\n| ajv (tests) | checking |\n');
  expect(packagePageProblems(root)).toEqual([]);
});

test('a package without a page is a problem', () => {
  expect(packagePageProblems(root)).toEqual(['packages/store/README.md: is missing']);
});

test('a dependency without a reason and a reason without a dependency are problems', () => {
  writePage('| avsc | reading |\n| ajv (tests) | checking |\n| gone | was of use once |\n');
  expect(packagePageProblems(root)).toEqual([
    'packages/store/README.md: no reason for @scope/codec',
    'packages/store/README.md: gone is no dependency',
  ]);
});
