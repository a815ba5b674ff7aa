import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Manifest {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/**
 * Checks that every package that comes with a part for each kind of machine has the one for this kind. A package manager leaves out
 * without a word what the registry or the lock file does not have, and the program would tell only at run time.
 * @param store pnpm's directory of installed packages
 * @param cpu as Node calls it: `x64`, `arm64`
 * @throws Error that names what is missing
 */
export async function checkNativeParts(store: string, cpu: string): Promise<void> {
  const isPart = new RegExp(`[-/]linux-${cpu}(-gnu)?$`);
  const installed = (await readdir(store)).filter((folder) => folder.lastIndexOf('@') > 0);
  const missing: string[] = [];
  for (const folder of installed) {
    const name = folder.slice(0, folder.indexOf('@', 1)).replace('+', '/');
    const manifest = join(store, folder, 'node_modules', name, 'package.json');
    const { optionalDependencies = {} } = JSON.parse(await readFile(manifest, 'utf8')) as Manifest;
    for (const [part, version] of Object.entries(optionalDependencies))
      if (isPart.test(part) && !installed.includes(`${part.replace('/', '+')}@${version}`))
        missing.push(`${part}@${version}`);
  }
  if (missing.length > 0)
    throw new Error(`The lock file has no parts for linux-${cpu} of some packages: ${missing.join(', ')}`);
}
