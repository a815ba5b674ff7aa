import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const WORKSPACE = join(import.meta.dirname, '../..');

/** Copies the build context of the image: the files of the repository that `.dockerignore` does not exclude. */
export function copyBuildContext(target: string): void {
  const rules = ignoreRules(readFileSync(join(WORKSPACE, '.dockerignore'), 'utf8'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: WORKSPACE,
    maxBuffer: 1 << 26,
  });
  for (const file of listed.toString().split('\0'))
    if (file !== '' && !isIgnored(file, rules) && existsSync(join(WORKSPACE, file)))
      cpSync(join(WORKSPACE, file), join(target, file));
}

interface Rule {
  readonly keeps: boolean;
  readonly pattern: RegExp;
}

function ignoreRules(text: string): Rule[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const keeps = line.startsWith('!');
      const pattern = line
        .slice(keeps ? 1 : 0)
        .replaceAll('.', '\\.')
        .replaceAll(/\*\*\/|\*/g, (star) => (star === '*' ? '[^/]*' : '(?:.*/)?'));
      // A rule for a directory applies to everything in it.
      return { keeps, pattern: new RegExp(`^${pattern}(/|$)`) };
    });
}

/** The last matching rule decides. */
const isIgnored = (file: string, rules: readonly Rule[]): boolean =>
  rules.findLast(({ pattern }) => pattern.test(file))?.keeps === false;
