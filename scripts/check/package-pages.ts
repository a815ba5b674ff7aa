import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Dependent {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * Requires a README.md for every package. Its table of dependencies must have a row for each third-party
 * package; types need no reason.
 */
export function packagePageProblems(root: string): string[] {
  return globSync('{packages/*,bench/*,deploy}/package.json', { cwd: root }).flatMap((file) => {
    const page = join(dirname(file), 'README.md');
    if (!existsSync(join(root, page))) return [`${page}: is missing`];
    const manifest = JSON.parse(readFileSync(join(root, file), 'utf8')) as Dependent;
    const wanted = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
      (name) => !/^@(tessera|types)\//.test(name),
    );
    const told = namesInTable(readFileSync(join(root, page), 'utf8'));
    return [
      ...wanted.filter((name) => !told.includes(name)).map((name) => `${page}: no reason for ${name}`),
      ...told.filter((name) => !wanted.includes(name)).map((name) => `${page}: ${name} is no dependency`),
    ];
  });
}

/** The table is the one whose first column is headed `dependency`. A row names one dependency or several, and may say where they are used: `| a, b (tests) | why |`. */
function namesInTable(page: string): string[] {
  const lines = page.split('\n');
  const table = lines.slice(lines.findIndex((line) => line.startsWith('| dependency ')) + 1);
  const end = table.findIndex((line) => !line.startsWith('|'));
  return table
    .slice(0, end === -1 ? undefined : end)
    .filter((line) => line.startsWith('| '))
    .flatMap((row) =>
      row
        .split('|')[1]!
        .replace(/\(.*\)/, '')
        .split(','),
    )
    .map((name) => name.trim());
}
