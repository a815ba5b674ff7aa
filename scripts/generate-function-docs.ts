import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DIALECT_FUNCTIONS } from '../packages/sql/src/index.ts';

/** Writes docs/functions.md from the registry of functions; with `--check` only looks whether it is current. */
const path = join(dirname(import.meta.dirname), 'docs', 'functions.md');
const page = functionsPage();

if (!process.argv.includes('--check')) writeFileSync(path, page);
else if (current() !== page) {
  process.stdout.write('docs/functions.md is stale: run node scripts/generate-function-docs.ts\n');
  process.exitCode = 1;
}

function current(): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function functionsPage(): string {
  const byCategory = Map.groupBy(DIALECT_FUNCTIONS, (f) => f.category);
  return [
    '<!-- Written by scripts/generate-function-docs.ts; edit the registry in packages/sql/src/functions. -->',
    '# Functions',
    '',
    'Every function of the dialect; the tests run each example. The functions of DuckDB that are not listed can be',
    'called as well. Unless said otherwise the result is NULL when an argument is.',
    ...[...byCategory].flatMap(([category, functions]) => [
      '',
      `## ${category[0]?.toUpperCase()}${category.slice(1)}`,
      '',
      '| call | what it gives | example | result |',
      '|---|---|---|---|',
      ...functions.map((f) => {
        const calls = f.signatures.map(code).join('<br>');
        const also = f.aliases === undefined ? '' : `<br>also ${f.aliases.map(code).join(', ')}`;
        return `| ${calls}${also} | ${escaped(f.description)} | ${code(f.example)} | ${code(f.result ?? 'NULL')} |`;
      }),
    ]),
    '',
  ].join('\n');
}

function code(text: string): string {
  return `\`${escaped(text)}\``;
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|');
}
