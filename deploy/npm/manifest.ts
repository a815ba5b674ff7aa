import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BillOfMaterials, Component } from './bill-of-materials.ts';

export const REPOSITORY = 'https://github.com/tessera-sql/tessera';

/** Returns the name of the npm package, and the fields that its manifest takes from that of the workspace. */
export function published(workspace: string) {
  const { version, license, engines } = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8')) as {
    version: string;
    license: string;
    engines: { node: string };
  };
  return { name: 'tessera', version, license, engines };
}

/**
 * The manifest of the npm package. It names every package of the bill of materials with its exact version,
 * including indirect dependencies: npm installs the named versions, so that everyone gets the versions that
 * were tested. If a package is needed in two versions, the manifest names the newer one, and npm finds the
 * other by the range of the package that needs it.
 */
export function npmManifest(workspace: string, { components }: BillOfMaterials): Record<string, unknown> {
  const required = components.filter(({ scope }) => scope === 'required');
  const newest = new Map<string, Component>();
  for (const component of required) {
    const other = newest.get(component.name);
    if (other === undefined || isNewer(component.version, other.version))
      newest.set(component.name, component);
  }
  return {
    ...published(workspace),
    description:
      'A distributed SQL engine for analytics: files you send with a query, and transactional tables in object storage.',
    keywords: ['sql', 'analytics', 'database', 'duckdb', 'parquet', 'postgresql'],
    homepage: `${REPOSITORY}#readme`,
    repository: { type: 'git', url: `git+${REPOSITORY}.git` },
    bugs: `${REPOSITORY}/issues`,
    type: 'module',
    bin: { tessera: 'bin/tessera.js' },
    dependencies: Object.fromEntries([...newest.values()].map(({ name, version }) => [name, version])),
  };
}

function isNewer(version: string, other: string): boolean {
  const [a, b] = [version, other].map((text) => text.split('.').map(Number));
  const at = a!.findIndex((number, i) => number !== b![i]);
  return at !== -1 && a![at]! > b![at]!;
}
