import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { folderProblems } from './folder-layers.ts';

const table = { layers: [], friends: {}, folders: { 'a/src': ['upper', 'lower'] } };

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'folders-'));
  for (const folder of ['upper', 'lower', 'testing'])
    mkdirSync(join(root, 'packages/a/src', folder), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

/** `from > to` for files below `packages/a/src`. */
const problems = (...imports: readonly string[]) =>
  folderProblems(
    root,
    table,
    imports.map((text) => {
      const [from, to] = text.split(' > ');
      return { from: `packages/a/src/${from}`, to: `packages/a/src/${to}` };
    }),
  );

test('imports down the order, within a folder and of other packages are fine', () => {
  expect(
    problems(
      'upper/x.ts > lower/y.ts',
      'lower/y.ts > lower/z.ts',
      'index.ts > upper/x.ts',
      'lower/z.ts > base.ts',
    ),
  ).toEqual([]);
  const other = { from: 'packages/a/src/lower/y.ts', to: 'packages/b/src/upper/index.ts' };
  expect(folderProblems(root, table, [other])).toEqual([]);
});

test('an import up the order is a problem', () => {
  expect(problems('lower/y.ts > upper/x.ts')).toEqual([
    'packages/a/src/lower/y.ts: imports upwards: lower is below upper in packages/a/src (layers.json): packages/a/src/upper/x.ts',
  ]);
});

test('folders in a cycle are a problem at any depth, also through a file beside them', () => {
  expect(problems('lower/b/x.ts > lower/c/y.ts', 'lower/c/z.ts > lower/b/w.ts')).toEqual([
    expect.stringContaining('packages/a/src/lower: folders in a cycle: b → c → b: '),
  ]);
  expect(problems('lower/y.ts > base.ts', 'base.ts > lower/z.ts')).toEqual([
    'packages/a/src: folders in a cycle: lower → base.ts → lower: packages/a/src/lower/y.ts → packages/a/src/base.ts, packages/a/src/base.ts → packages/a/src/lower/z.ts',
  ]);
});

test('a cycle is reported once, by its shortest path', () => {
  const found = problems(
    'lower/b/x.ts > lower/c/y.ts',
    'lower/c/y.ts > lower/d/z.ts',
    'lower/d/z.ts > lower/b/x.ts',
    'lower/c/y.ts > lower/b/x.ts',
  );
  expect(found).toHaveLength(2);
  expect(found[0]).toContain('b → c → b');
  expect(found[1]).toContain('d → b → c → d');
});

test('tests and their shared code may import the code that they test', () => {
  expect(
    problems(
      'lower/y.test.ts > upper/x.ts',
      'lower/testing/fixture.ts > upper/x.ts',
      'testing/node.ts > upper/x.ts',
    ),
  ).toEqual([]);
});

test('a folder without a place and a place without a folder are problems', () => {
  mkdirSync(join(root, 'packages/a/src/new'));
  rmSync(join(root, 'packages/a/src/lower'), { recursive: true });
  expect(problems()).toEqual([
    'packages/a/src/new: has no place in the folders of layers.json',
    'layers.json: packages/a/src/lower is no folder',
  ]);
});
