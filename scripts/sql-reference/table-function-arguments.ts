import { READ_FUNCTIONS, type ReadOption } from '../../packages/sql/src/index.ts';

const functions = Object.values(READ_FUNCTIONS);

const isOfAll = ([name]: readonly [string, ReadOption]): boolean =>
  functions.every(({ options }) => Object.hasOwn(options, name));

/** Groups arguments that not all functions have by the functions that have exactly these. */
const withOwn = new Map(
  [
    ...Map.groupBy(functions, ({ options }) =>
      Object.keys(options)
        .filter((name) => !isOfAll([name, options[name]!]))
        .join(),
    ),
  ]
    .filter(([own]) => own !== '')
    .map(([, group]) => [
      group.map(({ name }) => name.toUpperCase()).join(', '),
      Object.entries(group[0]!.options).filter((option) => !isOfAll(option)),
    ]),
);

/** Lists the named arguments of the functions that read files: the common ones, and those of each function. */
export const tableFunctionArguments = (): string =>
  [
    '# Arguments of table functions',
    '',
    'Write arguments as `NAME => value`, in any order, after the URL. For what the functions return, see [table functions](table-functions.md).',
    '',
    '| function | reads |',
    '|---|---|',
    ...functions.map(({ name, reads }) => `| \`${name.toUpperCase()}\` | ${reads} |`),
    '',
    '## Common arguments',
    '',
    ...table(Object.entries(functions[0]!.options).filter(isOfAll)),
    ...[...withOwn].flatMap(([names, options]) => ['', `## Arguments of ${names}`, '', ...table(options)]),
    '',
  ].join('\n');

const table = (options: readonly (readonly [string, ReadOption])[]): string[] => [
  '| argument | type | default | meaning |',
  '|---|---|---|---|',
  ...options.map(
    ([name, { type, byDefault, meaning }]) =>
      `| \`${name.toUpperCase()}\` | ${TYPES[type]} | ${byDefault === undefined ? '' : `\`${byDefault}\``} | ${meaning} |`,
  ),
];

const TYPES: Readonly<Record<ReadOption['type'], string>> = {
  text: 'text',
  boolean: 'boolean',
  character: 'one character',
  compression: 'text',
  integer: 'integer',
};
