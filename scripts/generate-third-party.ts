import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BILL, billOfMaterials, lockedHashes } from '../deploy/npm/bill-of-materials.ts';
import { licenseProblems, thirdPartyPage } from '../deploy/npm/licenses.ts';
import { published } from '../deploy/npm/manifest.ts';
import { thirdPartyOf } from '../deploy/npm/third-party.ts';

/**
 * Writes the list of the packages that the program needs, for readers and as a bill of materials. With `--check` it only reports
 * stale files. A package without an allowed licence is a problem either way.
 */
const root = dirname(import.meta.dirname);
const parties = thirdPartyOf(root, globSync('packages/*/package.json', { cwd: root }).map(dirname));
const hashes = lockedHashes(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8'));

const files = {
  'THIRD_PARTY.md': thirdPartyPage(parties),
  [BILL]: `${JSON.stringify(billOfMaterials(published(root), parties, hashes), null, 2)}\n`,
};
const problems = licenseProblems(parties);
for (const [file, text] of Object.entries(files)) {
  if (current(join(root, file)) === text) continue;
  if (process.argv.includes('--check'))
    problems.push(`${file} is stale: run node scripts/generate-third-party.ts`);
  else writeFileSync(join(root, file), text);
}
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function current(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
