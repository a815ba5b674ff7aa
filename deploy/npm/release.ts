import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { published, REPOSITORY } from './manifest.ts';
import { packProgram } from './pack.ts';
import { changelogSection, registryProblems, releaseProblems } from './release-problems.ts';

/**
 * `pnpm release` packs the npm package and publishes it, in CI, from the tagged commit. `pnpm release
 * --dry-run` only packs it, from any commit, and reports what is missing for a release.
 */
const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    out: { type: 'string', default: 'release' },
  },
});
const workspace = dirname(dirname(import.meta.dirname));
const folder = resolve(values.out);
const { name, version } = published(workspace);

const isDry = values['dry-run'];

const problems = releaseProblems(workspace, version);
if (!isDry) problems.push(...(await registryProblems(name, version, REPOSITORY)));
const verdict = isDry ? 'not a release' : 'cannot be released';
for (const problem of problems) process.stderr.write(`${name} ${version}, ${verdict}: ${problem}\n`);

if (problems.length > 0 && !isDry) process.exitCode = 1;
else {
  mkdirSync(folder, { recursive: true });
  const tarball = await packProgram(workspace, folder);
  process.stdout.write(`${tarball} (${(statSync(tarball).size / 1e6).toFixed(2)} MB)\n`);
  const notes = changelogSection(readFileSync(join(workspace, 'CHANGELOG.md'), 'utf8'), version)?.text;
  writeFileSync(join(folder, 'release-notes.md'), `${notes ?? ''}\n`);
  if (!isDry)
    execFileSync('npm', ['publish', tarball, '--provenance', '--access', 'public'], { stdio: 'inherit' });
}
