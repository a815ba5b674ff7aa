import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { formatByName, TokenCursor } from '@tessera/sql';
import { CommandFailure, EXIT } from '../exit-code.ts';
import { type SizedPart, sizeParts } from '../query/file-part.ts';
import { TypedStatement } from './typed-statement.ts';

/** Functions whose arguments contain the word FROM, as in EXTRACT(year FROM '…'). */
const FROM_INSIDE = ['EXTRACT', 'TRIM', 'SUBSTRING', 'OVERLAY'];

/** A statement in which files of this machine are named as uploads, and the files to send with it. */
export interface StatementWithFiles {
  readonly statement: TypedStatement;
  readonly parts: readonly SizedPart[];
}

/** Words after which a string names a file: `FROM './trips.csv'`. */
const BEFORE_FILE = ['FROM', 'JOIN', 'DESCRIBE', 'DESC', 'SUMMARIZE'];

/**
 * Replaces files of this machine by uploads: a string after FROM, JOIN, DESCRIBE or SUMMARIZE, the first argument of
 * READ_…, and the names of `named`, which maps a name that stands for a table to the path of its file.
 * @throws CommandFailure if a file cannot be read
 */
export async function withLocalFiles(
  sql: string,
  named: ReadonlyMap<string, string> = new Map(),
): Promise<StatementWithFiles> {
  const paths = new Map<string, string>();
  const shown = new Map<string, string>();
  const replacements = fileMentions(sql, named).map(({ path, typed, from, to }) => {
    const name = uploadName(path, paths);
    shown.set(name, typed);
    return { from, to, sent: `'upload://${name}'` };
  });
  const parts = await sizeParts(
    [...paths].map(([name, path]) => ({ name, path, typed: shown.get(name), encoding: undefined })),
  );
  return { statement: new TypedStatement(sql, replacements, shown), parts };
}

interface FileMention {
  readonly path: string;
  /** The name of the file as the user typed it. */
  readonly typed: string;
  /** Its place in the text, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
}

function fileMentions(sql: string, named: ReadonlyMap<string, string>): readonly FileMention[] {
  const { tokens } = new TokenCursor(sql);
  /** The word before each open parenthesis. */
  const open: string[] = [];
  return tokens.flatMap((token, i) => {
    if (token.image === '(') open.push(tokens[i - 1]?.image.toUpperCase() ?? '');
    if (token.image === ')') open.pop();
    const before = tokens[i - 1]?.image.toUpperCase() ?? '';
    const from = token.startOffset;
    const to = from + token.image.length;
    const text = /^'(.*)'$/s.exec(token.image)?.[1]?.replaceAll("''", "'");
    if (text !== undefined) {
      const isArgument = before === '(' && /^READ_/i.test(tokens[i - 2]?.image ?? '');
      if (!(isArgument || BEFORE_FILE.includes(before)) || /^[a-z][a-z0-9+.-]*:/i.test(text)) return [];
      if (FROM_INSIDE.includes(open.at(-1) ?? '')) return [];
      const path = expanded(text);
      if (!existsSync(path) && !looksLikePath(text)) return [];
      return [{ path, typed: text, from, to }];
    }
    const path = BEFORE_FILE.includes(before) ? named.get(token.image.toLowerCase()) : undefined;
    const follows = tokens[i + 1]?.image;
    if (path === undefined || follows === '.' || follows === '(') return [];
    return [{ path, typed: shortPath(path), from, to }];
  });
}

const expanded = (path: string): string =>
  resolve(/^~(?=\/|$)/.test(path) ? join(homedir(), path.slice(1)) : path);

/** The path from the working directory if the file is below it. */
function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}

const looksLikePath = (text: string): boolean =>
  /^(?:\.{0,2}|~)\//.test(text) || formatByName(text) !== undefined;

/** The name under which a file is sent; the same file is sent once. */
function uploadName(path: string, sent: Map<string, string>): string {
  const wanted = basename(path).replaceAll(/[^\w.-]/g, '_');
  for (let n = 1; ; n += 1) {
    const name = n === 1 && wanted !== 'sql' ? wanted : `${n}_${wanted}`;
    const other = sent.get(name);
    if (other !== undefined && other !== path) continue;
    sent.set(name, path);
    return name;
  }
}

/**
 * The names under which files given on the command line can be queried: `trips` for `data/trips.csv`.
 * @throws CommandFailure if a file cannot be read or two files have the same name
 */
export function namedFiles(paths: readonly string[]): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  for (const given of paths) {
    const path = expanded(given);
    const name = (basename(path).split('.')[0] || basename(path)).toLowerCase().replaceAll(/\W/g, '_');
    const refuse = (why: string) => new CommandFailure(EXIT.usage, `error: ${given}: ${why}`);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) throw refuse('there is no such file');
    if (named.has(name)) throw refuse(`another file is also named ${name}`);
    named.set(name, path);
  }
  return named;
}
