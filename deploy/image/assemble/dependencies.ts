import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { copyTree } from './copy-tree.ts';
import { checkNativeParts } from './native-parts.ts';

/** Read by compilers, debuggers and people, never by a running program. Licences stay. */
const UNUSED = /(\.([cm]?ts|map|flow|tsbuildinfo)|(?<!LICEN[SC]E|NOTICE)\.md)$/i;
/** Node itself stands in a place of its own; koffi brings a build for another C library. */
const UNUSED_FOLDERS = /^(\.bin|node-linux-.*|musl_.*|node-api-headers)$/;
const STORE = 'node_modules/.pnpm';
/** Links to packages of the workspace that no package asked for; some lead nowhere here. */
const HOISTED = `${STORE}/node_modules/@tessera`;

const isUsed = (path: string): boolean =>
  !UNUSED.test(path) && !UNUSED_FOLDERS.test(basename(path)) && !path.endsWith(HOISTED);

/** Copies the installed packages and the links to them, without what no program reads. */
export async function copyDependencies(
  workspace: string,
  home: string,
  packages: readonly string[],
): Promise<void> {
  for (const place of [STORE, ...packages.map((folder) => `${folder}/node_modules`)]) {
    const source = join(workspace, place);
    if (existsSync(source)) await copyTree(source, join(home, place), isUsed);
  }
}

/** The Node binary that was installed for the target. @throws Error when other things were not */
export async function nodeBinary(workspace: string): Promise<string> {
  const store = join(workspace, STORE);
  const [found, ...others] = (await readdir(store)).filter((name) => name.startsWith('node-linux-'));
  if (found === undefined || others.length > 0)
    throw new Error('expected the Node binary of one kind of machine');
  const name = found.split('@')[0]!;
  await checkNativeParts(store, name.replace('node-linux-', ''));
  return join(store, found, 'node_modules', name, 'bin/node');
}
