import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';

/** The file that `bin/tessera.js` starts. */
const PROGRAM = 'packages/engine/src/main.ts';
/** Matches how a source refers to another one: an import, or the file of a worker or of a process to start. */
const SOURCE = /(['"])((?:\.{1,2}\/)?[\w./-]+)\.ts\1/g;
const PACKAGE = /(['"])@tessera\/([\w-]+)\1/g;
/** The folders of this name contain the files that the build of the console writes and the node serves. */
const ASSETS = 'generated';

/**
 * Writes the sources that the program reaches as JavaScript, in the layout of the workspace: files find each other, and the
 * processes and threads that they start, by the same relative paths. Types become blanks, so that lines and columns in errors are
 * those of the sources. Tests, benchmarks and what only they use are not reached.
 * @returns the folders of the packages that the program consists of, such as `packages/engine`
 */
export async function writeProgram(workspace: string, target: string): Promise<string[]> {
  const written = new Set<string>();
  const packages = new Set<string>();
  const open = [PROGRAM];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (written.has(file)) continue;
    written.add(file);
    const code = stripTypeScriptTypes(await readFile(join(workspace, file), 'utf8'));
    open.push(...[...code.matchAll(SOURCE)].map(([, , path]) => `${join(dirname(file!), path!)}.ts`));
    open.push(...[...code.matchAll(PACKAGE)].map(([, , name]) => faceOf(name!)));
    packages.add(file.split('/').slice(0, 2).join('/'));
    await writeAt(join(target, compiled(file)), asJavaScript(code, file));
  }
  for (const folder of packages) await writeManifestAndAssets(workspace, target, folder);
  return [...packages].sort();
}

const compiled = (file: string): string => file.replace(/\.ts$/, '.js');

const faceOf = (name: string): string => `packages/${name}/src/index.ts`;

/**
 * Refers to other sources as JavaScript, and to those of other packages by their paths, because npm packs no
 * `node_modules`.
 */
function asJavaScript(code: string, file: string): string {
  const pathTo = (name: string) => compiled(relative(dirname(file), faceOf(name)));
  return code
    .replace(SOURCE, '$1$2.js$1')
    .replace(PACKAGE, (_, quote: string, name: string) => `${quote}${pathTo(name)}${quote}`);
}

/**
 * Copies the manifest, from which sources read their version, and the files that sources read at run time: the
 * console.
 */
async function writeManifestAndAssets(workspace: string, target: string, folder: string): Promise<void> {
  const { name, version, license } = JSON.parse(
    await readFile(join(workspace, folder, 'package.json'), 'utf8'),
  ) as Record<string, string>;
  const manifest = { name, version, license, type: 'module' };
  await writeAt(join(target, folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const entries = await readdir(join(workspace, folder, 'src'), { recursive: true, withFileTypes: true });
  for (const { name: file, parentPath } of entries.filter((entry) => entry.isFile())) {
    const path = relative(workspace, join(parentPath, file));
    if (file.endsWith('.ts') || !path.split('/').includes(ASSETS)) continue;
    await mkdir(dirname(join(target, path)), { recursive: true });
    await copyFile(join(workspace, path), join(target, path));
  }
}

async function writeAt(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
