import { parseArgs } from 'node:util';
import { DEFAULT_OPTIONS, type RunOptions } from './options.ts';

/** The parsed command line. */
export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'list'; readonly options: RunOptions }
  | ({ readonly kind: 'run' } & RunCommand)
  | ({ readonly kind: 'generate' } & GenerateCommand)
  | ({ readonly kind: 'report' } & ReportCommand)
  | { readonly kind: 'compare'; readonly before: string; readonly after: string };

export interface RunCommand {
  /** Names of benchmarks, or `all`. */
  readonly benchmarks: readonly string[];
  readonly options: RunOptions;
  readonly json: string | undefined;
  readonly html: string | undefined;
  readonly quiet: boolean;
}

export interface GenerateCommand {
  readonly workload: string;
  readonly scaleFactor: number;
  readonly out: string;
}

export interface ReportCommand {
  readonly files: readonly string[];
  /** The file for the report; by default it is written to stdout as Markdown. */
  readonly html: string | undefined;
}

const COMMANDS = ['run', 'list', 'generate', 'report', 'compare'] as const;

const OPTIONS = {
  url: { type: 'string' },
  user: { type: 'string' },
  token: { type: 'string' },
  scale: { type: 'string' },
  'scale-factor': { type: 'string' },
  runs: { type: 'string' },
  peers: { type: 'string' },
  'peer-url': { type: 'string', multiple: true },
  nodes: { type: 'string' },
  'node-memory': { type: 'string' },
  queries: { type: 'string' },
  seed: { type: 'string' },
  json: { type: 'string' },
  html: { type: 'string' },
  markdown: { type: 'boolean', default: false },
  out: { type: 'string' },
  quiet: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type Values = ReturnType<typeof parse>['values'];

/** @throws Error with the invalid word or option */
export function parseCommandLine(args: readonly string[]): Command {
  // `pnpm loadtest -- upload` passes the separator on.
  const { values, positionals } = parse(args[0] === '--' ? args.slice(1) : args);
  if (values.help) return { kind: 'help' };
  const [first = '', ...rest] = positionals;
  const command = COMMANDS.find((name) => name === first);
  switch (command) {
    case 'list':
      if (rest.length > 0) throw new Error('list: takes no further words');
      return { kind: 'list', options: runOptions(values) };
    case 'generate':
      return generateCommand(rest, values);
    case 'report':
      return reportCommand(rest, values);
    case 'compare': {
      const [before, after, more] = rest;
      if (before === undefined || after === undefined || more !== undefined)
        throw new Error('compare: name two JSON files, the earlier one first');
      return { kind: 'compare', before, after };
    }
    default: {
      const { json, html, quiet } = values;
      const benchmarks = command === 'run' ? rest : positionals;
      return { kind: 'run', benchmarks, options: runOptions(values), json, html, quiet };
    }
  }
}

const parse = (args: readonly string[]) =>
  parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });

function generateCommand(words: readonly string[], values: Values): Command {
  const [workload, more] = words;
  if (workload === undefined || more !== undefined)
    throw new Error('generate: name one workload, such as tpch');
  if (values.out === undefined) throw new Error('generate: --out names the directory for the files');
  const scaleFactor = number(
    '--scale',
    values.scale ?? values['scale-factor'] ?? '1',
    (n) => n > 0,
    'above 0',
  );
  return { kind: 'generate', workload, scaleFactor, out: values.out };
}

function reportCommand(files: readonly string[], { html, markdown }: Values): Command {
  if (files.length === 0) throw new Error('report: name one JSON file or more');
  if (html !== undefined && markdown) throw new Error('report: --html or --markdown, not both');
  return { kind: 'report', files, html };
}

function runOptions(values: Values): RunOptions {
  const { url, user, token, scale, runs, seed } = values;
  const isElsewhere = url !== undefined || values['peer-url'] !== undefined;
  for (const [name, value] of Object.entries({ user, token }))
    if (value !== undefined && !isElsewhere) throw new Error(`--${name}: needs --url or --peer-url`);
  if (user !== undefined && token !== undefined) throw new Error('--user or --token, not both');
  const factor = values['scale-factor'];
  const whole = (n: number) => Number.isSafeInteger(n) && n > 0;
  return {
    url: url === undefined ? undefined : httpUrl('--url', url),
    user,
    token: token ?? (isElsewhere ? process.env.TESSERA_TOKEN : undefined),
    scale: number('--scale', scale ?? '1', (n) => n > 0 && n <= 1, 'above 0 up to 1'),
    scaleFactor: factor === undefined ? undefined : number('--scale-factor', factor, (n) => n > 0, 'above 0'),
    runs: runs === undefined ? undefined : number('--runs', runs, whole, 'from 1 on'),
    peers: words(values.peers)?.filter((name) => name !== 'none') ?? DEFAULT_OPTIONS.peers,
    peerUrls: Object.fromEntries((values['peer-url'] ?? []).map(namedUrl)),
    nodes: words(values.nodes)?.map((word) => number('--nodes', word, whole, 'from 1 on')),
    nodeMemory: values['node-memory'],
    queries: words(values.queries),
    seed: number('--seed', seed ?? '1', (n) => Number.isSafeInteger(n), 'without a fraction'),
  };
}

/** The words of a comma-separated list. */
const words = (value: string | undefined): string[] | undefined =>
  value
    ?.split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

function number(option: string, text: string, good: (n: number) => boolean, range: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || !good(value))
    throw new Error(`${option}: expected a number ${range}, got "${text}"`);
  return value;
}

function httpUrl(option: string, text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Error(`${option}: expected a URL such as http://127.0.0.1:3473, got "${text}"`);
  return text;
}

/** `other=http://host:3473`, or `other=postgres://…`. */
function namedUrl(text: string): readonly [name: string, url: string] {
  const [, name, url] = /^([\w. -]+)=(.*)$/.exec(text) ?? [];
  if (name === undefined || url === undefined || !URL.canParse(url))
    throw new Error(`--peer-url: expected name=URL, got "${text}"`);
  if (!/^(https?|postgres(ql)?):$/.test(new URL(url).protocol))
    throw new Error(`--peer-url: expected a URL of http, https or postgres, got "${url}"`);
  return [name, url];
}
