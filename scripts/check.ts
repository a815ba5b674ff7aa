import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileProblems, repositoryFiles } from './check/committed-files.ts';
import { importProblems } from './check/import-layers.ts';
import { languageProblems } from './check/language.ts';
import { readLayerTable, tableProblems } from './check/layer-table.ts';
import { manifestProblems } from './check/manifests.ts';
import { packagePageProblems } from './check/package-pages.ts';
import { linkProblems } from './check/page-links.ts';
import { proofProblems } from './check/parameter-proofs.ts';
import { timerProblems } from './check/timer-delays.ts';

/** A step returns the problems that it found, or none. */
interface Step {
  readonly name: string;
  readonly run: () => Promise<string[]>;
}

const root = dirname(import.meta.dirname);
const table = readLayerTable(root);
const tool = (name: string) => join(root, 'node_modules', '.bin', name);

const steps: Step[] = [
  {
    name: 'format and lint',
    run: () => command(tool('biome'), ['check', '--error-on-warnings', '--diagnostic-level=warn', '.']),
  },
  { name: 'types', run: () => command(tool('tsc'), ['-p', 'tsconfig.json']) },
  { name: 'types of the console page', run: () => command(tool('tsc'), ['-p', 'packages/console/src/page']) },
  {
    name: 'layers, faces, cycles',
    run: async () => [...tableProblems(table), ...(await importProblems(root, table))],
  },
  {
    name: 'package manifests and pages',
    run: async () => [...manifestProblems(root, table), ...packagePageProblems(root)],
  },
  {
    name: 'unused code and dependencies',
    run: () => command(tool('knip'), ['--no-progress', '--no-config-hints']),
  },
  ...globSync('scripts/generate-*.ts', { cwd: root }).map((script) => ({
    name: `current: ${script}`,
    run: () => command(process.execPath, [script, '--check']),
  })),
  { name: 'links of the pages', run: async () => linkProblems(root, repositoryFiles(root)) },
  { name: 'language', run: async () => languageProblems(root, repositoryFiles(root)) },
  { name: 'tests of the parameters', run: async () => proofProblems(root) },
  { name: 'delays of timers', run: async () => timerProblems(root, repositoryFiles(root)) },
  { name: 'file lengths, private paths', run: async () => fileProblems(root, repositoryFiles(root)) },
];

let failures = 0;
for (const step of steps) {
  const start = performance.now();
  const problems = await step.run().catch((error: unknown) => [String(error)]);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`${problems.length === 0 ? '✓' : '✗'} ${step.name} ${seconds} s\n`);
  for (const problem of problems)
    process.stdout.write(`    ${problem.trimEnd().replaceAll('\n', '\n    ')}\n`);
  if (problems.length > 0) failures++;
}
process.stdout.write(
  failures === 0 ? 'All checks passed.\n' : `${failures} of ${steps.length} checks failed.\n`,
);
process.exitCode = failures === 0 ? 0 : 1;

/** Runs a program. If its exit code is not 0, its output is the problem. */
async function command(program: string, args: string[]): Promise<string[]> {
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return code === 0 ? [] : [Buffer.concat(output).toString('utf8') || `exit code ${code}`];
}
