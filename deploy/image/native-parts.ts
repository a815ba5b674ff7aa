import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/**
 * Checks that every package with binaries for several platforms has those of this platform. npm silently omits
 * packages that the registry does not have, and the program would only fail at run time.
 * @param modules a `node_modules` directory that npm wrote
 * @param cpu in the words of Node: `x64`, `arm64`
 * @throws Error that names what is missing
 */
export function checkNativeParts(modules: string, cpu: string): void {
  const isPart = new RegExp(`[-/]linux-${cpu}(-gnu)?$`);
  const installed = globSync(
    ['*/package.json', '@*/*/package.json', '**/node_modules/{*,@*/*}/package.json'],
    {
      cwd: modules,
    },
  ).map((file) => JSON.parse(readFileSync(join(modules, file), 'utf8')) as Manifest);
  const ids = new Set(installed.map(({ name, version }) => `${name}@${version}`));
  const missing = installed
    .flatMap(({ optionalDependencies = {} }) => Object.entries(optionalDependencies))
    .filter(([part, version]) => isPart.test(part) && !ids.has(`${part}@${version}`))
    .map(([part, version]) => `${part}@${version}`);
  if (missing.length > 0)
    throw new Error(
      `Tessera cannot run on linux-${cpu} yet: the registry has no ${missing.join(', ')}. ` +
        'Build for another platform (--platform linux/amd64), or try again when the packages are there.',
    );
}
