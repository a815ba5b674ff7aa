import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

const MAX_LINES = 650;
/** Files that consist of a single table, which is easier to read in one piece. */
const TABLES = new Set(['packages/common/src/error-table.ts']);
const MAX_BYTES = 1_000_000;
const SOURCE = /\.(?:tsx?|mjs|js|sh|py|css)$/;
const GENERATED = /(?:^|\/)generated\/|_pb\.ts$/;

/** The files that git tracks or would add: neither ignored files nor deleted ones. */
export function repositoryFiles(root: string): string[] {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  return [...new Set(list.split('\0'))].filter((file) => file !== '' && existsSync(join(root, file)));
}

/**
 * Reports paths of a developer's machine, private words, and source files that are too long. Private words are
 * the lines of `.git/info/private-words`, which a checkout may have and never publishes.
 */
export function fileProblems(root: string, files: readonly string[]): string[] {
  const forbidden = forbiddenText(root);
  return files.flatMap((file) => {
    const path = join(root, file);
    if (statSync(path).isDirectory()) return [];
    const bytes = readFileSync(path);
    const problems: string[] = [];
    if (bytes.length > MAX_BYTES) problems.push(`${file}: ${bytes.length} bytes, more than ${MAX_BYTES}`);
    if (bytes.subarray(0, 8192).includes(0)) return problems;
    const lines = bytes.toString('utf8').split('\n');
    if (SOURCE.test(file) && !GENERATED.test(file) && !TABLES.has(file) && lines.length > MAX_LINES + 1)
      problems.push(`${file}: ${lines.length - 1} lines, more than ${MAX_LINES}`);
    if (basename(file) === 'pnpm-lock.yaml') return problems;
    lines.forEach((line, i) => {
      const found = forbidden.exec(line);
      if (found) problems.push(`${file}:${i + 1}: must not be published: ${found[0]}`);
    });
    return problems;
  });
}

function forbiddenText(root: string): RegExp {
  // Matches the directories in which people and machines keep checkouts. A path may follow a quote, a space or
  // a scheme, but not a name.
  const homes = String.raw`(?<![\w.@)}\]-])/(?:work|root|home/[\w.-]+|Users/[\w.-]+)/(?=\w|\.\w)`;
  const words = privateWords(root).map((word) => String.raw`(?<!\w)${RegExp.escape(word)}(?!\w)`);
  return new RegExp([homes, ...words].join('|'), 'i');
}

function privateWords(root: string): string[] {
  const gitDirectory = execFileSync('git', ['rev-parse', '--absolute-git-dir'], {
    cwd: root,
    encoding: 'utf8',
  }).trim();
  const file = join(gitDirectory, 'info', 'private-words');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
