#!/usr/bin/env node
// The command of the npm package. It runs under whatever Node the machine has and refuses one that is too old by name, so nothing
// here may need a new one.
import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const required = manifest.engines.node.replace('>=', '');

if (isOlder(process.versions.node, required)) {
  process.stderr.write(
    `Tessera ${manifest.version} needs Node.js ${required} or later, and this is ${process.versions.node} (${process.execPath}).\n` +
      'Install a newer one from https://nodejs.org, put it first in PATH, and start the command again.\n',
  );
  process.exitCode = 1;
} else {
  cacheCompiledCode();
  // In the package, this file stands beside `program`.
  import(new URL('../program/main.js', import.meta.url).href);
}

function isOlder(version, minimum) {
  const [a, b] = [version, minimum].map((text) => text.split('.').map(Number));
  const at = a.findIndex((number, i) => number !== b[i]);
  return at !== -1 && a[at] < b[at];
}

/** Later starts, and the processes that the program starts, load what V8 has compiled before. */
function cacheCompiledCode() {
  if (process.env.NODE_COMPILE_CACHE === undefined) {
    const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
    process.env.NODE_COMPILE_CACHE = join(caches, 'tessera', 'node-compile');
  }
  nodeModule.enableCompileCache(process.env.NODE_COMPILE_CACHE);
}
