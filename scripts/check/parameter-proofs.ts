import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ParameterInfo, parameters } from '../../packages/config/src/index.ts';
import { PROOFS } from '../configuration/proofs.ts';

/** Names that too many parameters have: a test must mention the block as well. */
const COMMON_NAMES = ['id', 'level', 'name', 'path', 'port', 'type', 'enabled', 'mode', 'format', 'host'];

/**
 * Returns what is wrong with the tests that `docs/configuration.md` names for the parameters: a parameter in
 * effect without a test, a test that does not exist, a test file that does not mention the parameter, a
 * parameter that does not exist.
 */
export function proofProblems(root: string, proofs = PROOFS, rows = parameters()): string[] {
  const settings = rows.filter((row) => row.effect !== undefined);
  const known = new Map(settings.map((row) => [row.path, row]));
  const proved = new Set<string>();
  const problems = Object.entries(proofs).flatMap(([file, tests]) => {
    const path = join(root, file);
    if (!existsSync(path)) return [`${file} is named as the test of parameters and does not exist`];
    const text = readFileSync(path, 'utf8');
    return Object.entries(tests).flatMap(([title, paths]) => [
      ...(hasTest(text, title) ? [] : [`${file} has no test ${JSON.stringify(title)}`]),
      ...paths.flatMap((parameter) => {
        proved.add(parameter);
        if (!known.has(parameter)) return [`${parameter}, of ${file}, is not a parameter that has an effect`];
        return mentions(text, parameter) ? [] : [`${file} does not mention ${parameter}`];
      }),
    ]);
  });
  return [...problems, ...settings.filter(isUnproved(proved)).map(missing)];
}

const isUnproved = (proved: ReadonlySet<string>) => (row: ParameterInfo) =>
  row.effect === 'in effect' && !proved.has(row.path);

const missing = ({ path }: ParameterInfo): string =>
  `${path} has no test that fails if it is ignored: write one and name it in scripts/configuration/proofs.ts`;

/**
 * Whether a file has a test with this title as it is written in the source, including placeholders such as
 * `%s`.
 */
function hasTest(text: string, title: string): boolean {
  const quotes = [`'${title.replaceAll("'", "\\'")}'`, `"${title}"`, `\`${title}\``];
  return quotes.some((quoted) => text.includes(`${quoted},`));
}

/** Whether a text contains the name of a parameter, as in the configuration file or as in the code. */
function mentions(text: string, path: string): boolean {
  const names = path.replaceAll('[*]', '').split('.');
  const own = names.at(-1)!;
  const needed = COMMON_NAMES.includes(own) ? names.slice(-2) : [own];
  return needed.every((name) => text.includes(name) || text.includes(camelCase(name)));
}

const camelCase = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
