import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildPrograms } from './test/built-programs.ts';
import { killProcessesWith } from './test/left-processes.ts';
import { isGood, sumLine, type Tally } from './test/tally.ts';

const root = dirname(import.meta.dirname);
const directory = mkdtempSync(join(tmpdir(), 'tessera-test-'));
const tallyFile = join(directory, 'tally.json');
/** Gets the files of the tests, so that a node that a test kills leaves nothing behind. */
const temporary = join(directory, 'tmp');
mkdirSync(temporary);
// Tests start servers of other users, such as PostgreSQL, below it.
chmodSync(directory, 0o711);

const tests = process.argv.slice(2);
// Building takes about as long as three starts of a node, so only a whole run gains by it.
const programs = tests.length === 0 ? join(directory, 'programs') : undefined;
if (programs !== undefined) await buildPrograms(root, programs);

const runner = spawn(
  process.execPath,
  [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--reporter=default',
    `--reporter=${join(root, 'scripts', 'test', 'tally-reporter.ts')}`,
    ...tests,
  ],
  {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      TMPDIR: temporary,
      TESSERA_TEST_TALLY: tallyFile,
      // Nodes that tests start load what an earlier one has compiled.
      NODE_COMPILE_CACHE:
        process.env.NODE_COMPILE_CACHE ??
        join(programs === undefined ? join(root, 'node_modules', '.cache') : directory, 'node-compile'),
      ...(programs !== undefined && { TESSERA_TEST_PROGRAMS: programs }),
    },
  },
);
// Ctrl-C reaches the whole process group; the runner cleans up and this waits for it.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => runner.kill('SIGTERM'));
const code = await new Promise<number | null>((resolve, reject) => {
  runner.on('error', reject);
  runner.on('close', resolve);
});
killProcessesWith('TESSERA_TEST_TALLY', tallyFile);

const tally = existsSync(tallyFile) ? (JSON.parse(readFileSync(tallyFile, 'utf8')) as Tally) : undefined;
const left = [...new Set(readdirSync(temporary).map((name) => name.replace(/-\w{6}$/, '')))];
if (left.length > 0) process.stdout.write(`removed from the temporary directory: ${left.join(', ')}\n`);
try {
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
} catch (error) {
  process.stdout.write(`${directory} was not removed: ${(error as Error).message}\n`);
}
if (tally === undefined) {
  process.stdout.write('The test runner ended without a report.\n');
  process.exitCode = 1;
} else {
  for (const { test, reason } of tally.skips) process.stdout.write(`skipped: ${test}: ${reason}\n`);
  for (const problem of tally.other) process.stdout.write(`failed: ${problem}\n`);
  if (tally.passed + tally.failed === 0) process.stdout.write('No test ran.\n');
  process.stdout.write(`${sumLine(tally)}\n`);
  process.exitCode = isGood(tally) && code === 0 ? 0 : 1;
}
