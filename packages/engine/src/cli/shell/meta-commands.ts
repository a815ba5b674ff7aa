import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '@tessera/common';
import { CommandFailure, EXIT } from '../exit-code.ts';
import { unusableFile } from '../query/file-part.ts';
import type { Display } from './display.ts';
import { isShellFormat, SHELL_FORMATS, type ShellFormat } from './result-text.ts';

/** What a command can do with the shell. */
export interface CommandScope {
  readonly display: Display;
  readonly lastStatement: string | undefined;
  /** The paths of the files that can be queried by name. */
  readonly files: ReadonlyMap<string, string>;
  /** Runs a statement and shows its result, or its error; resolves to whether it succeeded. */
  query(statement: string): Promise<boolean>;
  runScript(text: string): Promise<boolean>;
  /** Runs work that Ctrl-C ends. Resolves to whether it was ended by that. */
  interruptible(work: (signal: AbortSignal) => Promise<unknown>): Promise<boolean>;
  leave(): void;
}

interface MetaCommand {
  /** The arguments, for \?. */
  readonly usage: string;
  readonly description: string;
  run(shell: CommandScope, argument: string): unknown;
}

/** The condition for relations that are not those of the system. */
export const USER_TABLES = `table_schema NOT IN ('information_schema', 'pg_catalog')`;
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const like = (column: string, pattern: string): string =>
  pattern === '' ? 'TRUE' : `${column} ILIKE ${quoted(pattern.replaceAll('*', '%'))}`;

/** The commands of the shell, which are lines of their own and end without a semicolon. */
export const META_COMMANDS: Readonly<Record<string, MetaCommand>> = {
  '\\d': {
    usage: '[NAME]',
    description: 'describes a table or view, or lists all of them',
    run: (shell, name) =>
      name === '' ? META_COMMANDS['\\dt']!.run(shell, '') : shell.query(`DESCRIBE ${name}`),
  },
  '\\dt': {
    usage: '[PATTERN]',
    description: 'lists tables and views',
    run: async (shell, pattern) => {
      await shell.query(`SELECT table_schema, table_name, table_type, number_of_rows
        FROM information_schema.tables WHERE ${USER_TABLES} AND ${like('table_name', pattern)} ORDER BY 1, 2`);
      if (pattern === '') for (const [name, path] of shell.files) shell.display.say(`  ${name} is ${path}`);
    },
  },
  '\\l': { usage: '', description: 'lists databases', run: (shell) => shell.query('SHOW DATABASES') },
  '\\df': {
    usage: '[PATTERN]',
    description: 'lists functions',
    run: (shell, pattern) =>
      shell.query(`SELECT routine_name, routine_signature, routine_description
        FROM information_schema.routines WHERE ${like('routine_name', pattern)} ORDER BY 1, 2`),
  },
  '\\timing': {
    usage: '[on|off]',
    description: 'shows the time of each statement, or does not',
    run: ({ display }, argument) => {
      display.options.timing = switched(display.options.timing, argument);
      display.say(`Timing is ${display.options.timing ? 'on' : 'off'}.`);
    },
  },
  '\\x': {
    usage: '[on|off]',
    description: 'shows each column of a row on a line of its own, or does not',
    run: ({ display }, argument) => {
      display.options.expanded = switched(display.options.expanded, argument);
      display.say(`Expanded display is ${display.options.expanded ? 'on' : 'off'}.`);
    },
  },
  '\\format': {
    usage: SHELL_FORMATS.join('|'),
    description: 'sets the format of results',
    run: ({ display }, format) => {
      if (!isShellFormat(format)) throw usage(`\\format takes one of ${SHELL_FORMATS.join(', ')}`);
      Object.assign(display.options, { format, expanded: false });
      display.say(`The format is ${format}.`);
    },
  },
  '\\rows': {
    usage: 'N',
    description: 'shows at most N rows of a result',
    run: ({ display }, count) => {
      if (!/^[1-9]\d{0,8}$/.test(count)) throw usage('\\rows takes a number of rows');
      display.options.maxRows = Number(count);
    },
  },
  '\\i': {
    usage: 'FILE',
    description: 'runs the statements of a file',
    run: async (shell, path) => shell.runScript(await readText(path)),
  },
  '\\o': {
    usage: '[FILE]',
    description: 'sends results to a file, or back to the terminal',
    run: ({ display }, path) => (path === '' ? display.sendTo(undefined) : sendTo(display, unquoted(path))),
  },
  '\\copy': {
    usage: "TABLE FROM 'FILE' | {TABLE | (QUERY)} TO 'FILE'",
    description: 'copies a file of this machine into a table, or rows into a file (.csv, .json, .jsonl)',
    run: copy,
  },
  '\\watch': {
    usage: '[SECONDS]',
    description: 'repeats the last statement, every 2 seconds, until Ctrl-C',
    run: watch,
  },
  '\\e': { usage: '', description: 'edits the last statement in $EDITOR and runs it', run: edit },
  '\\q': { usage: '', description: 'leaves the shell (also Ctrl-D)', run: (shell) => shell.leave() },
  '\\?': { usage: '', description: 'this help', run: ({ display }) => display.say(helpText()) },
};

/** Other names of commands, as users of other shells know them. */
const ALIASES: Readonly<Record<string, string>> = {
  '.help': '\\?',
  '\\help': '\\?',
  '\\h': '\\?',
  help: '\\?',
  '.quit': '\\q',
  '.exit': '\\q',
  quit: '\\q',
  exit: '\\q',
  '.tables': '\\dt',
  '.timer': '\\timing',
  '.mode': '\\format',
  '.read': '\\i',
  '\\dv': '\\dt',
};

/** Whether a line is a command of the shell and not part of a statement. */
export const isMetaCommand = (line: string): boolean =>
  /^\s*[\\.]\S/.test(line) || Object.hasOwn(ALIASES, line.trim().replace(/;$/, '').toLowerCase());

/** @throws CommandFailure if there is no such command, or with its reason */
export async function runMetaCommand(shell: CommandScope, line: string): Promise<void> {
  const [, name = '', argument = ''] = /^(\S+)\s*(.*)$/s.exec(line.trim().replace(/;$/, ''))!;
  const command = META_COMMANDS[ALIASES[name.toLowerCase()] ?? name];
  if (command === undefined) throw usage(`there is no command ${name}; \\? lists all of them`);
  await command.run(shell, argument.trim());
}

const usage = (message: string) => new CommandFailure(EXIT.usage, `error: ${message}`);

function switched(current: boolean, argument: string): boolean {
  if (argument === '') return !current;
  if (argument === 'on' || argument === 'off') return argument === 'on';
  throw usage('expected on or off');
}

const unquoted = (text: string): string => /^'(.*)'$/s.exec(text)?.[1]?.replaceAll("''", "'") ?? text;

function readText(quotedPath: string): Promise<string> {
  const path = unquoted(quotedPath);
  return readFile(path, 'utf8').catch((error: Error) => {
    throw unusableFile(path, error);
  });
}

const sendTo = (display: Display, path: string): Promise<void> =>
  display.sendTo(path).catch((error: Error) => {
    throw unusableFile(path, error);
  });

async function copy(shell: CommandScope, argument: string): Promise<void> {
  const from = /^(\S+(?:\s*\([^)]*\))?)\s+FROM\s+('.+')$/is.exec(argument);
  if (from !== null) {
    await shell.query(`INSERT INTO ${from[1]} SELECT * FROM ${from[2]}`);
    return;
  }
  const to = /^(\(.+\)|\S+)\s+TO\s+('.+')$/is.exec(argument);
  if (to === null) throw usage(`\\copy ${META_COMMANDS['\\copy']!.usage}`);
  const path = unquoted(to[2]!);
  const { display } = shell;
  const { format, expanded } = display.options;
  await sendTo(display, path);
  Object.assign(display.options, { format: formatOf(path), expanded: false });
  try {
    await shell.query(to[1]!.startsWith('(') ? to[1]!.slice(1, -1) : `SELECT * FROM ${to[1]}`);
  } finally {
    Object.assign(display.options, { format, expanded });
    await display.sendTo(undefined);
  }
}

const formatOf = (path: string): ShellFormat =>
  path.endsWith('.json') ? 'json' : /\.(?:jsonl|ndjson)$/.test(path) ? 'jsonl' : 'csv';

async function watch(shell: CommandScope, argument: string): Promise<void> {
  const seconds = argument === '' ? 2 : Number(argument);
  if (!(seconds > 0 && seconds <= 3_600)) throw usage('\\watch takes a number of seconds');
  const statement = shell.lastStatement ?? fail('there is no statement to repeat yet');
  shell.display.say(`Repeats the last statement every ${seconds} s until Ctrl-C.`);
  while (await shell.query(statement)) {
    const stopped = await shell.interruptible((signal) => pause(1_000 * seconds, { signal }));
    if (stopped) return;
  }
}

function fail(message: string): never {
  throw usage(message);
}

async function edit(shell: CommandScope): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-edit-'));
  try {
    const path = join(directory, 'statement.sql');
    await writeFile(path, `${shell.lastStatement ?? ''}\n`, { mode: 0o600 });
    const editor = process.env.VISUAL || process.env.EDITOR || 'vi';
    const { status } = await shell.display.lend(async () =>
      spawnSync(`${editor} "${path}"`, { shell: true, stdio: 'inherit' }),
    );
    if (status === 0) await shell.runScript(await readFile(path, 'utf8'));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function helpText(): string {
  const commands = Object.entries(META_COMMANDS).map(([name, command]) => [
    `${name} ${command.usage}`,
    command.description,
  ]);
  const width = 24;
  return [
    'A statement ends with a semicolon. Commands are lines of their own:',
    '',
    ...commands.map(([call, description]) =>
      call!.length < width
        ? `  ${call!.padEnd(width)}${description}`
        : `  ${call}\n  ${' '.repeat(width)}${description}`,
    ),
    '',
    "Files of this machine can be named in FROM: SELECT * FROM './trips.csv';",
    'Tab completes names, the arrow keys bring back earlier statements, Ctrl-C cancels a statement or clears the line.',
  ].join('\n');
}
