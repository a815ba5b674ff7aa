import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ERRORS } from '../packages/common/src/index.ts';
import { configurationJsonSchema, configurationPage } from '../packages/config/src/index.ts';
import { PROOFS, type Proofs } from './configuration/proofs.ts';

/** Writes the pages of docs/ that are generated from code. With `--check` it only reports stale pages. */
const GENERATED: Readonly<Record<string, string>> = {
  'configuration.md': marked(configurationPage(testsOf(PROOFS))),
  'configuration.schema.json': `${JSON.stringify(configurationJsonSchema(), null, 2)}\n`,
  'errors.md': marked(errorsPage()),
};

const docs = join(dirname(import.meta.dirname), 'docs');
const stale = Object.entries(GENERATED).filter(([name, text]) => current(join(docs, name)) !== text);

if (process.argv.includes('--check')) {
  for (const [name] of stale)
    process.stdout.write(`docs/${name} is stale: run node scripts/generate-docs.ts\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [name, text] of stale) writeFileSync(join(docs, name), text);
}

function current(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns the tests of each parameter in the form in which the page names them. */
function testsOf(proofs: Proofs): Map<string, string[]> {
  const named = new Map<string, string[]>();
  for (const [file, tests] of Object.entries(proofs))
    for (const [title, paths] of Object.entries(tests))
      for (const path of paths) named.set(path, [...(named.get(path) ?? []), `\`${file}\`: ${title}`]);
  return named;
}

function marked(page: string): string {
  return `<!-- Written by scripts/generate-docs.ts; edit the code it reads. -->\n${page}`;
}

function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(
    ([name, e]) => `| \`${name}\` | ${e.sqlState} | ${e.httpStatus} | ${e.retry} | ${e.meaning} |`,
  );
  return [
    '# Errors',
    '',
    "Every failure that the engine reports is one of these. `code` is the SQLSTATE, PostgreSQL's if it has one. `retry` says who",
    'may retry: `never` (the request would fail again), `task` and `query` (the engine retries by itself), `client` (the client',
    'may send the request again later).',
    '',
    '| name | code | HTTP | retry | meaning |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
