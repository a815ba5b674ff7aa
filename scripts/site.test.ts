import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { searchTerms } from '../site/.vitepress/search-terms.ts';
import { SIDEBAR } from '../site/.vitepress/sidebar.ts';

const ROOT = dirname(import.meta.dirname);
const SITE = join(ROOT, 'site');
const BUILD_TIMEOUT_MS = 300_000;

/** Folders with many pages, to which an index page leads instead of the sidebar. */
const UNDER_AN_INDEX = ['docs/decisions/', 'docs/sql/functions/'];

test('the sidebar lists every page of docs, and nothing else', () => {
  const listed = SIDEBAR.flatMap(({ pages }) => pages.map(([, path]) => path));
  const pages = globSync('docs/**/*.md', { cwd: ROOT }).filter(
    (path) => path.endsWith('README.md') || !UNDER_AN_INDEX.some((folder) => path.startsWith(folder)),
  );
  expect(listed.filter((path) => path.startsWith('docs/')).toSorted()).toEqual(pages.toSorted());
  expect(listed.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('the site builds without dead links, and its search finds headings', {
  timeout: BUILD_TIMEOUT_MS,
}, async ({ skip }) => {
  const vitepress = join(SITE, 'node_modules', '.bin', 'vitepress');
  if (!existsSync(vitepress)) skip('the generator is not installed: pnpm --dir site install');
  const directory = mkdtempSync(join(tmpdir(), 'site-'));
  try {
    // Fails with the list of dead links.
    await promisify(execFile)(vitepress, ['build'], {
      cwd: SITE,
      env: { ...process.env, NODE_ENV: 'production', TESSERA_SITE_DIR: directory },
    });
    const shows = (path: string, text: string) => readFileSync(join(directory, path), 'utf8').includes(text);
    expect(shows('index.html', 'href="/docs/tutorial.html"')).toBe(true);
    // The text is not evaluated as an expression of Vue.
    expect(shows('docs/oidc.html', '{{ sub }}')).toBe(true);
    const [index = ''] = globSync('assets/chunks/@localSearchIndexroot*.js', { cwd: directory });
    expect(shows(index, 'Just-in-time provisioning')).toBe(true);
    // The index has names as a whole; the tokens of MiniSearch itself end at underscores.
    expect(shows(index, 'no_progress')).toBe(true);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('the search finds names with underscores as a whole, and by their words', () => {
  const terms = searchTerms('Error NO_PROGRESS, max_threads.').filter((term) => term !== '');
  expect(terms).toEqual(['Error', 'NO', 'PROGRESS', 'max', 'threads', 'NO_PROGRESS', 'max_threads']);
});
