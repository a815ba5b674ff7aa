import { DIALECT_FUNCTIONS } from '../../packages/sql/src/index.ts';

type DialectFunction = (typeof DIALECT_FUNCTIONS)[number];

const byCategory = Map.groupBy(DIALECT_FUNCTIONS, ({ category }) => category);

/** All functions: by category, and by name. */
export function functionIndex(): string {
  const names = DIALECT_FUNCTIONS.flatMap((f) =>
    [f.name, ...(f.aliases ?? [])].map((name) => [name, f] as const),
  );
  const letters = Map.groupBy(
    names.toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ([name]) => name[0]!.toUpperCase(),
  );
  return [
    '# Functions',
    '',
    'This page lists every function of the dialect; the tests run each example. DuckDB functions that are not listed can be called as well.',
    'Unless stated otherwise, the result is NULL if an argument is NULL.',
    '',
    '| | |',
    '|---|---|',
    ...[...byCategory].map(
      ([category, functions]) =>
        `| [${titleOf(category)}](${pageOf(category)}) | ${functions.map((f) => link(f.name, f)).join(', ')} |`,
    ),
    '',
    'For functions in FROM, such as `READ_CSV`, see [table functions](table-functions.md).',
    '',
    '## By name',
    '',
    ...[...letters].map(
      ([letter, entries]) =>
        `- **${letter}** ${entries.map(([name, f]) => link(name, f, f.category === 'window' ? `${name} (window)` : name)).join(' · ')}`,
    ),
    '',
  ].join('\n');
}

/** A page for each category, by path. */
export const categoryPages = (): Record<string, string> =>
  Object.fromEntries(
    [...byCategory].map(([category, functions]) => [pageOf(category), categoryPage(category, functions)]),
  );

function categoryPage(category: string, functions: readonly DialectFunction[]): string {
  return [
    `# ${titleOf(category)} functions`,
    '',
    `[All functions](../functions.md) · ${functions.map((f) => `[${f.name}](#${anchorOf(f)})`).join(' · ')}`,
    ...functions.flatMap(section),
    '',
  ].join('\n');
}

const section = (f: DialectFunction): string[] => [
  '',
  `## ${f.name}`,
  '',
  ...f.signatures.flatMap((signature) => [code(signature), '']),
  f.description,
  ...(f.aliases === undefined ? [] : ['', `Also called ${f.aliases.map(code).join(', ')}.`]),
  '',
  `${code(f.example)} → ${code(f.result ?? 'NULL')}`,
];

const ACRONYMS: Readonly<Record<string, string>> = { json: 'JSON', bytea: 'BYTEA' };

const titleOf = (category: string): string =>
  ACRONYMS[category] ?? `${category[0]!.toUpperCase()}${category.slice(1)}`;
const pageOf = (category: string): string => `functions/${category.replaceAll(' ', '-')}.md`;
/** Returns the anchor that GitHub gives to a heading. */
const anchorOf = (f: DialectFunction): string => f.name.toLowerCase();
const link = (name: string, f: DialectFunction, text = name): string =>
  `[${text}](${pageOf(f.category)}#${anchorOf(f)})`;

/** Renders a text as code, even if it contains backticks. */
function code(text: string): string {
  const fence = '`'.repeat(1 + Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length)));
  return fence.length === 1 ? `\`${text}\`` : `${fence} ${text} ${fence}`;
}
