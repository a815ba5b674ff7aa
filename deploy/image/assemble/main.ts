import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { placeFile } from './copy-tree.ts';
import { copyDependencies, nodeBinary } from './dependencies.ts';
import { copyProgram } from './program.ts';

/**
 * Puts together the files of an image: `node main.ts <workspace> <root>`. The workspace has its production dependencies
 * installed; root becomes what the image adds to its base.
 */
const [workspace, root] = process.argv.slice(2);
if (workspace === undefined || root === undefined) throw new Error('usage: main.ts <workspace> <root>');

const home = join(root, 'opt/tessera');
const programs = join(root, 'usr/local/bin');
const image = join(import.meta.dirname, '..');
for (const directory of [home, programs, join(root, 'etc/tessera'), join(root, 'var/lib/tessera')])
  await mkdir(directory, { recursive: true });

const node = await nodeBinary(workspace);
const { packages, main } = await copyProgram(workspace, home);
await copyDependencies(workspace, home, packages);

await placeFile(node, join(programs, 'node'));

// The base may have no /usr/bin/env.
const start = join(home, main);
await writeFile(start, (await readFile(start, 'utf8')).replace(/^#!.*/, '#!/usr/local/bin/node'));
await chmod(start, 0o755);
await symlink(join('/opt/tessera', main), join(programs, 'tessera'));

await writeFile(join(home, 'package.json'), '{ "type": "module" }\n');
await placeFile(join(image, 'healthcheck.js'), join(home, 'healthcheck.js'));
await placeFile(join(image, 'tessera.yaml'), join(root, 'etc/tessera/tessera.yaml'));
