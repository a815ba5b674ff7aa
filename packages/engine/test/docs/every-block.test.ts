import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pageItems } from './page-blocks.ts';
import { pageSteps } from './page-steps.ts';
import { PAGES } from './pages.ts';

const ROOT = join(import.meta.dirname, '../../../..');

/** The pages for users. Decisions and developer notes contain no commands to try. */
const SHOWN = ['README.md', 'docs/*.md', 'docs/{guides,sql}/**/*.md', 'examples/*.md', 'deploy/**/*.md'];
const pages = SHOWN.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).filter(
  (p) => !p.includes('node_modules'),
);
const triedPages: readonly string[] = Object.values(PAGES).flat();

describe.each(pages)('%s', (path) => {
  const page = readFileSync(join(ROOT, path), 'utf8');

  it('every block is executed or gives a reason why not', () => {
    const { steps, untried } = pageSteps(page);
    expect(untried).toEqual([]);
    if (steps.length > 0) expect(triedPages).toContain(path);
  });

  it('tests that it names exist and read the page', () => {
    const notes = pageItems(page).flatMap((item) => ('note' in item ? [item.note] : item.block.notes));
    for (const { name, value } of notes.filter(({ name }) => name.endsWith('tried by'))) {
      expect(existsSync(join(ROOT, value)), `${name}: ${value}`).toBe(true);
      expect(readFileSync(join(ROOT, value), 'utf8')).toContain(path);
    }
  });
});

it('all pages of pages.ts exist', () => {
  expect(triedPages.filter((path) => !pages.includes(path))).toEqual([]);
});
