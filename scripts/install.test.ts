import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

/**
 * Stands in for pnpm: it records its arguments, creates `node_modules`, and fails if the file `broken` exists.
 */
const PNPM = `
import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');
mkdirSync(process.argv.includes('--prod') ? 'node_modules' : 'node_modules/vitest', { recursive: true });
if (process.argv.includes('--filter=@tessera/deploy')) mkdirSync('deploy/node_modules/rolldown', { recursive: true });
process.exit(existsSync('broken') ? 1 : 0);
`;
const TO_RUN =
  'install --frozen-lockfile --prod --config.minimumReleaseAge=0 --filter=tessera-workspace --filter=@tessera/engine...';
const TO_PACK = `${TO_RUN} --filter=@tessera/deploy`;
const ALL = 'install --frozen-lockfile';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'install-'));
  write('scripts/install.mjs', '');
  copyFileSync(join(import.meta.dirname, 'install.mjs'), join(root, 'scripts/install.mjs'));
  write('pnpm.mjs', PNPM);
  write('pnpm-lock.yaml', 'lockfileVersion: 1');
  write('packages/a/package.json', '{}');
});
afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

/** Runs the script and returns the installations that it started. */
function install(scope: 'run' | 'pack' | 'all'): { code: number | null; calls: string[]; message: string } {
  rmSync(join(root, 'calls'), { force: true });
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/install.mjs'), scope], {
    encoding: 'utf8',
    env: { ...process.env, npm_execpath: join(root, 'pnpm.mjs') },
  });
  const calls = existsSync(join(root, 'calls'))
    ? readFileSync(join(root, 'calls'), 'utf8').trim().split('\n')
    : [];
  return { code: status, calls, message: stderr };
}

test('installs once, and only what a script needs', () => {
  expect(install('run')).toEqual({ code: 0, calls: [TO_RUN], message: '' });
  expect(install('run')).toEqual({ code: 0, calls: [], message: '' });
  expect(install('pack').calls).toEqual([TO_PACK]);
  expect(install('pack').calls).toEqual([]);
  expect(install('run').calls).toEqual([]);
  expect(install('all').calls).toEqual([ALL]);
  expect(install('all').calls).toEqual([]);
  expect(install('run').calls).toEqual([]);
  expect(install('pack').calls).toEqual([]);
});

test.each(['pnpm-lock.yaml', 'packages/a/package.json', 'packages/b/package.json'])(
  'a change of %s installs again',
  (file) => {
    install('run');
    write(file, '{ "name": "changed" }');
    expect(install('run').calls).toEqual([TO_RUN]);
  },
);

test('tools that are installed stay when the program is run', () => {
  install('all');
  write('pnpm-lock.yaml', 'lockfileVersion: 2');
  expect(install('run').calls).toEqual([ALL]);
});

test('an installation that failed runs nothing, and the next one tries again', () => {
  write('broken', '');
  expect(install('all')).toEqual({
    code: 1,
    calls: [ALL],
    message: expect.stringContaining('The installation is not complete'),
  });
  rmSync(join(root, 'broken'));
  expect(install('all').calls).toEqual([ALL]);
});
