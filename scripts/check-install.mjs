// Runs before every root script, under whatever Node the machine has (20 and up): pnpm only warns when its automatic
// install fails and then runs the script anyway, which would end in an error about something else.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folders = [root, ...['packages', 'bench'].flatMap(foldersIn)];
const missing = [...oldNode(), ...folders.flatMap(missingDependencies)];

if (missing.length > 0) {
  process.stderr.write('The installation is not complete; nothing was run.\n');
  for (const line of missing.slice(0, 10)) process.stderr.write(`  ${line}\n`);
  if (missing.length > 10) process.stderr.write(`  and ${missing.length - 10} more\n`);
  process.stderr.write('See why with: npx -y pnpm@12 install\n');
  process.exit(1);
}

function foldersIn(place) {
  const path = join(root, place);
  if (!existsSync(path)) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(path, entry.name));
}

function oldNode() {
  const enough = Number(process.versions.node.split('.')[0]) >= 24;
  return enough ? [] : [`node is ${process.versions.node}; the one that comes with the repository is 24`];
}

function missingDependencies(folder) {
  const manifest = readJson(join(folder, 'package.json'));
  const wanted = Object.entries({ ...manifest?.dependencies, ...manifest?.devDependencies });
  return wanted.flatMap(([name, version]) => {
    const installed = readJson(join(folder, 'node_modules', name, 'package.json'));
    if (installed === undefined) return [`${name} is not installed for ${manifest.name}`];
    const fits = version.startsWith('workspace:') || installed.version === version;
    return fits ? [] : [`${name} is ${installed.version} for ${manifest.name}, which wants ${version}`];
  });
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
