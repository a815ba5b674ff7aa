import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { copyTree } from './copy-tree.ts';

const PROGRAM = 'packages/engine/src/main.ts';
/** How sources name another one: an import, or the file of a worker or of a process to start. */
const SOURCE = /(['"])((?:\.{1,2}\/)?[\w./-]+)\.ts\1/g;
const PACKAGE = /(['"])@tessera\/([\w-]+)\1/g;

export interface CopiedProgram {
  /** Folders of the packages that the program consists of. */
  readonly packages: readonly string[];
  /** The file to start, from the home directory. */
  readonly main: string;
}

/**
 * Copies the sources that the program reaches as JavaScript: types become blanks, so that lines and columns stay. Tests, benchmarks and
 * what only they use are not reached. The layout is that of the workspace.
 */
export async function copyProgram(workspace: string, home: string): Promise<CopiedProgram> {
  const copied = new Set<string>();
  const packages = new Set<string>();
  const open = [PROGRAM];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (copied.has(file)) continue;
    copied.add(file);
    const code = stripTypeScriptTypes(await readFile(join(workspace, file), 'utf8'));
    open.push(...[...code.matchAll(SOURCE)].map(([, , path]) => `${join(dirname(file!), path!)}.ts`));
    for (const [, , name] of code.matchAll(PACKAGE)) open.push(`packages/${name}/src/index.ts`);
    packages.add(file.split('/').slice(0, 2).join('/'));
    const target = join(home, compiled(file));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, code.replace(SOURCE, '$1$2.js$1'));
  }
  for (const folder of packages) await copyRest(workspace, home, folder);
  return { packages: [...packages], main: compiled(PROGRAM) };
}

const compiled = (file: string): string => file.replace(/\.ts$/, '.js');

/** The manifest, and what sources read that is not code of Node: pages, styles. */
async function copyRest(workspace: string, home: string, folder: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(workspace, folder, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license, exports } = manifest;
  const kept = { name, version, license, type: 'module', exports: entries(exports) };
  await writeFile(join(home, folder, 'package.json'), `${JSON.stringify(kept, null, 2)}\n`);
  const isRest = (path: string) => !/\.(tsx?|json|md)$/.test(path) && basename(path) !== 'testing';
  await copyTree(join(workspace, folder, 'src'), join(home, folder, 'src'), isRest);
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
}

const entries = (exports: Manifest['exports']): Manifest['exports'] =>
  Object.fromEntries(Object.entries(exports).map(([name, file]) => [name, compiled(file)]));
