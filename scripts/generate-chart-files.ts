import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Copies the alert rules and the dashboard into the chart, which can contain only files of its own directory.
 * With `--check` it only reports stale files.
 */
const root = dirname(import.meta.dirname);
const target = join(root, 'deploy/kubernetes/tessera/files');
const stale = ['alerts.yaml', 'dashboard.json']
  .map((name) => ({ name, content: readFileSync(join(root, 'deploy/monitoring', name), 'utf8') }))
  .filter(({ name, content }) => current(join(target, name)) !== content);

if (process.argv.includes('--check')) {
  for (const { name } of stale)
    process.stdout.write(`${join(target, name)} is stale: run node scripts/generate-chart-files.ts\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  mkdirSync(target, { recursive: true });
  for (const { name, content } of stale) writeFileSync(join(target, name), content);
}

function current(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
