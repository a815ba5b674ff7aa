import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';

const RELEASE = join(import.meta.dirname, '../../../../deploy/npm/release.ts');
/** Scripts then find Node 24, whatever Node the machine has. */
export const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;

/**
 * Packs the npm package as a release does, and installs it with npm in `directory`. npm downloads what is not in its cache.
 * @returns the path of its program
 */
export function installPackage(directory: string): string {
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, {
      cwd: directory,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, PATH },
    });
  run(process.execPath, RELEASE, '--dry-run', '--out', directory);
  const [tarball] = globSync(join(directory, 'tessera-*.tgz'));
  run(
    'npm',
    'install',
    '--prefix',
    '.',
    '--prefer-offline',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    tarball!,
  );
  return join(directory, 'node_modules/tessera/bin/tessera.js');
}
