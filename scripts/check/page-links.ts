import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Links of the repository's pages to files of it that do not exist. Links out of the repository are not followed. */
export function linkProblems(root: string, files: readonly string[]): string[] {
  const pages = files.filter((file) => file.endsWith('.md'));
  return pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```.*?^```/gms, '');
    const targets = [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map((match) => match[1] ?? '');
    const local = targets.filter((target) => !/^[a-z]+:/i.test(target));
    return local
      .filter((target) => !existsSync(join(root, dirname(page), target)))
      .map((target) => `${page}: links to ${target}, which does not exist`);
  });
}
