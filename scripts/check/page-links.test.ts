import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { linkProblems } from './page-links.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'links-'));
  mkdirSync(join(root, 'docs'));
  writeFileSync(
    join(root, 'README.md'),
    'See [docs](docs/), [a](docs/a.md#part), [web](https://example.com/x.md).\n',
  );
});
afterEach(() => rmSync(root, { recursive: true }));

test('links to what exists, to parts of pages and out of the repository are fine', () => {
  writeFileSync(
    join(root, 'docs', 'a.md'),
    '# `Part`\n[up](../README.md) [here](#part)\n```\n[code](nowhere.md)\n```\n',
  );
  expect(linkProblems(root, ['README.md', 'docs/a.md'])).toEqual([]);
});

test('a link to nothing is named with its page', () => {
  expect(linkProblems(root, ['README.md'])).toEqual([
    'README.md: links to docs/a.md#part, which does not exist',
  ]);
});

test('a link to a heading that does not exist is named with its page', () => {
  writeFileSync(join(root, 'docs', 'a.md'), '# Another part\n');
  expect(linkProblems(root, ['README.md'])).toEqual([
    'README.md: links to docs/a.md#part, but that page has no such heading',
  ]);
});
