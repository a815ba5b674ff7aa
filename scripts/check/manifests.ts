import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { allowedFor, type LayerTable, packagesOf } from './layer-table.ts';

interface Manifest {
  readonly name?: string;
  readonly license?: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/**
 * Checks every `package.json` against the layer table and the house rules: known package, one public interface,
 * exact versions.
 */
export function manifestProblems(root: string, table: LayerTable): string[] {
  const files = ['package.json', ...globSync('{packages/*,bench/*,deploy}/package.json', { cwd: root })];
  const known = packagesOf(table);
  return files.flatMap((file) => {
    const manifest = JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest;
    const complain = (problem: string) => `${file}: ${problem}`;
    const dependencies = Object.entries({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.optionalDependencies,
    });
    const inexact = dependencies.filter(
      ([, version]) => !/^(workspace:\*|\d+\.\d+\.\d+(-[\w.]+)?)$/.test(version),
    );
    const problems = inexact.map(([name, version]) =>
      complain(`${name}: "${version}" is not an exact version`),
    );
    if (manifest.license !== 'Apache-2.0') problems.push(complain('the license is not Apache-2.0'));
    // The deployment code is above all layers, and may use every package.
    if (file === 'package.json' || file === 'deploy/package.json') return problems;

    const [place = '', name = ''] = dirname(file).split('/');
    const isBench = place === 'bench';
    if (isBench === known.includes(name)) {
      const problem = isBench ? 'is outside the layers, but in layers.json' : 'has no place in layers.json';
      return [...problems, complain(`${name} ${problem}`)];
    }
    if (manifest.name !== `@tessera/${name}`) problems.push(complain(`the name is not @tessera/${name}`));
    // A program without a public interface is started, not imported.
    const face = existsSync(join(root, dirname(file), 'src/index.ts')) ? { '.': './src/index.ts' } : {};
    if (JSON.stringify(manifest.exports) !== JSON.stringify(face))
      problems.push(complain(`exports something other than ${JSON.stringify(face)}`));
    // The benchmarks are outside the product: they may use every package, and only the tests of a package may use them.
    if (isBench) return problems;
    const allowed = allowedFor(table, name);
    const inTests = Object.keys(manifest.devDependencies ?? {}).filter((dependency) =>
      existsSync(join(root, 'bench', dependency.slice('@tessera/'.length), 'package.json')),
    );
    for (const [dependency] of dependencies) {
      if (inTests.includes(dependency)) continue;
      const target = dependency.startsWith('@tessera/') ? dependency.slice('@tessera/'.length) : undefined;
      if (target !== undefined && !allowed.includes(target))
        problems.push(complain(`depends on ${dependency}, which layers.json does not allow`));
    }
    return problems;
  });
}
