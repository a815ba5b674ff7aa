import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { defineConfig } from 'vitepress';
import { headingAnchor } from './heading-anchor.ts';
import { searchTerms } from './search-terms.ts';
import { SIDEBAR } from './sidebar.ts';

const ROOT = join(import.meta.dirname, '../..');
const REPOSITORY = 'https://github.com/tessera-sql/tessera';

/** The site is made of the repository's Markdown pages as they are, so a link that works on a code host works here. */
export default defineConfig({
  title: 'Tessera',
  description: 'A distributed SQL engine for analytics',
  srcDir: '..',
  srcExclude: ['**/test/**'],
  cacheDir: 'node_modules/.cache/vitepress',
  outDir: process.env.TESSERA_SITE_DIR ?? 'dist',
  // For a site that is not at the root of its host, such as GitHub Pages of a project: /tessera/.
  base: process.env.TESSERA_SITE_BASE ?? '/',
  // Pages name the address of a node that their readers start.
  ignoreDeadLinks: 'localhostLinks',
  rewrites: { 'README.md': 'index.md', ':path(.*)/README.md': ':path/index.md' },
  themeConfig: {
    search: { provider: 'local', options: { miniSearch: { options: { tokenize: searchTerms } } } },
    sidebar: SIDEBAR.map(({ text, pages }) => ({
      text,
      collapsed: false,
      items: pages.map(([title, path]) => ({ text: title, link: siteLink(path) })),
    })),
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    editLink: { pattern: `${REPOSITORY}/edit/main/:path`, text: 'Edit this page' },
  },
  vite: {
    plugins: [
      {
        // Vue is not installed beside the pages: while they are rendered, it is imported from the site's folder.
        name: 'vue-of-the-site',
        enforce: 'pre',
        resolveId: (id, _importer, { ssr }) =>
          ssr && /^vue(?:\/|$)/.test(id) ? { id, external: true } : null,
      },
    ],
    build: { chunkSizeWarningLimit: 4000 },
  },
  markdown: {
    languageAlias: { hexdump: 'log' },
    // The same anchors as on GitHub, which `pnpm check` verifies.
    anchor: { slugify: headingAnchor },
    config(md) {
      // VitePress would evaluate {{ claim }} in inline code as an expression.
      const renderCode = md.renderer.rules.code_inline!;
      md.renderer.rules.code_inline = (...args) => renderCode(...args).replaceAll('{{', '&#123;&#123;');
      // Files and folders that are not pages open in the repository.
      md.core.ruler.push('repository-links', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === 'link_open' ? token.attrGet('href') : null;
          if (href !== null) token.attrSet('href', linkTarget(href, env.relativePath));
        }
      });
    },
  },
});

function siteLink(path: string): string {
  return `/${path.replace(/(?:README)?\.md$/, '')}`;
}

/** Links to pages stay; links to other files of the repository lead to the code host. */
function linkTarget(href: string, page: string): string {
  const [path = ''] = href.split('#');
  if (path === '' || path.endsWith('.md') || /^[a-z]+:/i.test(path)) return href;
  const file = normalize(join(dirname(page), path));
  return existsSync(join(ROOT, file)) ? `${REPOSITORY}/blob/main/${file}` : href;
}
