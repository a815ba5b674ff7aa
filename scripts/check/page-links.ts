import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { headingAnchor } from '../../site/.vitepress/heading-anchor.ts';

/**
 * Returns links of the repository's pages to files or headings that do not exist. Links to other sites are not
 * followed.
 */
export function linkProblems(root: string, files: readonly string[]): string[] {
  const pages = files.filter((file) => file.endsWith('.md'));
  return pages.flatMap((page) => {
    const text = withoutCode(readFileSync(join(root, page), 'utf8'));
    const targets = [...text.matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map((match) => match[1]!);
    return targets
      .filter((target) => !/^[a-z]+:/i.test(target))
      .flatMap((target) => {
        const [path = '', heading] = target.split('#');
        const file = path === '' ? page : normalize(join(dirname(page), path));
        if (!existsSync(join(root, file))) return [`${page}: links to ${target}, which does not exist`];
        if (heading === undefined || !file.endsWith('.md')) return [];
        const found = anchors(readFileSync(join(root, file), 'utf8')).has(heading);
        return found ? [] : [`${page}: links to ${target}, but that page has no such heading`];
      });
  });
}

/** The anchors that GitHub gives to the headings of a page. */
function anchors(text: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading = ''] of withoutCode(text).matchAll(/^#{1,6} +(.*)$/gm)) {
    const slug = headingAnchor(heading);
    let anchor = slug;
    for (let n = 1; found.has(anchor); n++) anchor = `${slug}-${n}`;
    found.add(anchor);
  }
  return found;
}

const withoutCode = (text: string): string => text.replaceAll(/^ *```.*?^ *```/gms, '');
