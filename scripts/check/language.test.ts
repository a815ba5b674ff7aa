import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { languageProblems, pageProblems, sourceProblems } from './language.ts';

const root = mkdtempSync(join(tmpdir(), 'language-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test.each([
  '// Of rows that one task reads.',
  '/** By node, how many. */',
  '/**\n * Those that wait.\n */',
  'const a = 1;\n  // Which is odd.',
])('a comment that opens as a fragment is refused: %j', (source) => {
  expect(sourceProblems(source)).toEqual([
    expect.stringMatching(/^:\d: a comment opens with "(?:Of|By|Those|Which)": /),
  ]);
});

test('the title of a test that opens as a fragment is refused', () => {
  const problems = [':1: the title of a test opens with "what": say what the code under test does'];
  expect(sourceProblems("test('what is left stays', () => {")).toEqual(problems);
  expect(sourceProblems("  describe.each(ALL)('rows', () => {")).toEqual([]);
});

test.each([
  '// Rows are read by one task:\n// of many, it is the first.',
  '/** By default the node listens on localhost. */',
  "const by = 'By hand';",
  '// Offsets are in bytes.',
])('a sentence is accepted: %j', (source) => {
  expect(sourceProblems(source)).toEqual([]);
});

test('banned phrases are refused with what to write, in sources and in the prose of pages', () => {
  expect(sourceProblems("fail('the upkeep of tables');")).toEqual([':1: "upkeep": write maintenance']);
  expect(pageProblems('# Title\n\nThe node has not got it.')).toEqual([
    ':3: "has not got": write does not have',
  ]);
});

test('code on pages is not prose', () => {
  expect(pageProblems('The word `upkeep`.\n\n```sh\nupkeep\n```\n<!-- upkeep -->\n')).toEqual([]);
});

test('generated files and files that name banned phrases are not checked', () => {
  mkdirSync(join(root, 'docs'));
  mkdirSync(join(root, 'src/generated'), { recursive: true });
  const files = ['docs/tutorial.md', 'docs/glossary.md', 'src/generated/a.ts'];
  for (const file of files) writeFileSync(join(root, file), 'upkeep\n');
  expect(languageProblems(root, files)).toEqual(['docs/tutorial.md:1: "upkeep": write maintenance']);
});
