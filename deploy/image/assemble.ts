import { copyFileSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkNativeParts } from './native-parts.ts';

/**
 * Completes the files that the image adds to its base: `node assemble.ts <root> <cpu>`. npm has installed the
 * package in `<root>/opt/tessera`; this program checks that it can run there, and adds the command, the default
 * configuration and the data directory.
 */
const [root, cpu] = process.argv.slice(2);
if (root === undefined || cpu === undefined) throw new Error('usage: assemble.ts <root> <cpu>');

/** Only compilers, debuggers and people read these files, never the running program. Licences are kept. */
const UNUSED = /(\.([cm]?ts|map|flow|tsbuildinfo)|(?<!LICEN[SC]E|NOTICE|THIRD_PARTY)\.md)$/i;
const home = join(root, 'opt/tessera');
const modules = join(home, 'node_modules');

checkNativeParts(modules, cpu);
for (const entry of globSync('**/*', { cwd: modules, withFileTypes: true }))
  if (entry.isFile() && UNUSED.test(entry.name)) rmSync(join(entry.parentPath, entry.name));

for (const directory of ['usr/local/bin', 'etc/tessera', 'var/lib/tessera'])
  mkdirSync(join(root, directory), { recursive: true });
// The base image may lack /usr/bin/env, which the command of the package uses to find Node.
const start = "#!/usr/local/bin/node\nimport('/opt/tessera/node_modules/tessera/bin/tessera.js');\n";
writeFileSync(join(root, 'usr/local/bin/tessera'), start, { mode: 0o755 });
copyFileSync(join(import.meta.dirname, 'healthcheck.js'), join(home, 'healthcheck.js'));
copyFileSync(join(import.meta.dirname, 'tessera.yaml'), join(root, 'etc/tessera/tessera.yaml'));
