// Runs before every root script, under whatever Node the machine has (20 and up): `node install.mjs run` installs what running the
// program needs, `node install.mjs pack` what packing it needs, `node install.mjs all` the tools of development too. It does nothing
// if that is installed already. pnpm could do it by itself (`verifyDepsBeforeRun`), but would install everything for every script.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The part of `pnpm install`'s command line that limits it to the program and the packages that it imports, and
 * to Node, which is a dependency of the root. The age of packages, which needs a request for each of them, is
 * checked when everything is installed.
 */
const ONLY_TO_RUN = [
  '--prod',
  '--config.minimumReleaseAge=0',
  '--filter=tessera-workspace',
  '--filter=@tessera/engine...',
];

/** What packing the program needs beside that: the bundler. */
const TO_PACK = '--filter=@tessera/deploy';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
/** Records the lock file and the manifests of the last complete installation. */
const stamp = join(modules, '.installed-for');
const wants = process.argv[2];
const hasTools = existsSync(join(modules, 'vitest'));
const hasWanted =
  hasTools || wants === 'run' || (wants === 'pack' && existsSync(join(root, 'deploy/node_modules/rolldown')));
const wanted = fingerprint();

if (read(stamp) !== wanted || !hasWanted) {
  const scope = wants === 'all' || hasTools ? [] : [...ONLY_TO_RUN, ...(wants === 'pack' ? [TO_PACK] : [])];
  const args = ['install', '--frozen-lockfile', ...scope];
  const pnpm = process.env.npm_execpath;
  const [program, before] = pnpm === undefined ? ['npx', ['-y', 'pnpm@12']] : command(pnpm);
  // Progress is printed to stderr, because the output of the script is that of the program.
  const { status, error } = spawnSync(program, [...before, ...args], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, CI: 'true' },
  });
  if (status === 0) writeFileSync(stamp, wanted);
  else {
    process.stderr.write(
      `The installation is not complete${error ? ` (${error.message})` : ''}; nothing was run.\n` +
        'See why with: npx -y pnpm@12 install\n',
    );
    process.exit(1);
  }
}

/** pnpm is a script of Node or a program, depending on how it was installed. */
function command(pnpm) {
  return /\.[cm]?js$/.test(pnpm) ? [process.execPath, [pnpm]] : [pnpm, []];
}

/** Returns a digest of everything that determines the installation. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests()])
    hash.update(`${file}\n${read(join(root, file))}\n`);
  return hash.digest('hex');
}

function manifests() {
  const places = ['packages', 'bench'].filter((place) => existsSync(join(root, place)));
  const folders = places.flatMap((place) => readdirSync(join(root, place)).map((name) => `${place}/${name}`));
  return ['.', 'deploy', ...folders].map((folder) => join(folder, 'package.json')).sort();
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}
