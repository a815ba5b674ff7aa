import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { categoryPages, functionIndex } from './sql-reference/function-pages.ts';
import { settingsPage } from './sql-reference/settings-page.ts';
import { tableFunctionArguments } from './sql-reference/table-function-arguments.ts';

/**
 * Writes the pages of docs/sql/ that are generated from the registries of functions and settings. With
 * `--check` it only reports stale pages.
 */
const pages: Readonly<Record<string, string>> = {
  'functions.md': functionIndex(),
  ...categoryPages(),
  'settings.md': settingsPage(),
  'table-function-arguments.md': tableFunctionArguments(),
};

const directory = join(dirname(import.meta.dirname), 'docs', 'sql');
const stale = Object.entries(pages)
  .map(
    ([name, text]) =>
      [
        name,
        `<!-- Written by scripts/generate-sql-reference.ts; edit the code it reads. -->\n${text}`,
      ] as const,
  )
  .filter(([name, text]) => current(name) !== text);

if (process.argv.includes('--check')) {
  for (const [name] of stale)
    process.stdout.write(`docs/sql/${name} is stale: run node scripts/generate-sql-reference.ts\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [name, text] of stale) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

function current(name: string): string | undefined {
  try {
    return readFileSync(join(directory, name), 'utf8');
  } catch {
    return undefined;
  }
}
