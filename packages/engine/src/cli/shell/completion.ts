import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { quoteText } from '@tessera/kernel';
import { RESERVED_WORDS } from '@tessera/sql';
import { withLocalFiles } from './local-files.ts';
import { USER_TABLES } from './meta-commands.ts';
import type { ShellSession } from './shell-session.ts';

/** Words of statements that are not reserved. */
const MORE_WORDS =
  'BEGIN BY COMMIT COPY DELETE DESCRIBE DROP EXPLAIN INSERT INTO KEY PARTITION PRIMARY INDEX RESET ROLLBACK SET SHOW SUMMARIZE TABLES TRUNCATE UPDATE USE VACUUM VALUES VIEW DATABASE ALTER OVER ROWS FILTER JOIN LEFT RIGHT FULL INNER'.split(
    ' ',
  );

const NAMES = `
  SELECT 'table', table_name, NULL FROM information_schema.tables WHERE ${USER_TABLES}
  UNION ALL SELECT 'column', column_name, table_name FROM information_schema.columns WHERE ${USER_TABLES}
  UNION ALL SELECT DISTINCT 'function', routine_name, NULL FROM information_schema.routines
  UNION ALL SELECT 'schema', schema_name, NULL FROM information_schema.schemata`;

interface Known {
  readonly tables: ReadonlySet<string>;
  readonly columns: ReadonlyMap<string, readonly string[]>;
  readonly functions: ReadonlySet<string>;
  readonly settings: readonly string[];
}

const NOTHING: Known = { tables: new Set(), columns: new Map(), functions: new Set(), settings: [] };

/** Completes words with keywords and the names of the catalog, which are read when they are first needed. */
export class Completion {
  readonly #session: ShellSession;
  readonly #commands: readonly string[];
  readonly #named: ReadonlyMap<string, string>;
  #filesColumns: Known['columns'] | undefined;
  #known: Promise<Known> | undefined;
  #reading = new AbortController();

  constructor(session: ShellSession, commands: readonly string[], named: ReadonlyMap<string, string>) {
    this.#session = session;
    this.#commands = commands;
    this.#named = named;
  }

  /** Forgets the names, because a statement may have changed them. */
  forget(): void {
    this.#known = undefined;
  }

  /** Reads the names in the background. */
  prepare(): void {
    void this.#names();
  }

  /**
   * Cancels the queries for names that still run, and waits for their end: they would slow down a statement of the user, and
   * SHOW QUERIES would list them. The names are read when they are next needed.
   */
  async cancel(): Promise<void> {
    this.#reading.abort();
    await this.#known;
  }

  /**
   * Returns the completions of the last word of a line, and this word, in the form that node:readline requires.
   */
  async of(line: string): Promise<[string[], string]> {
    const path = /'((?:\.{0,2}|~)\/[^']*)$/.exec(line)?.[1] ?? /\b(?:from|join)\s+'([^']*)$/i.exec(line)?.[1];
    if (path !== undefined) return [files(path), path];
    if (/^\\\w*$/.test(line)) return [this.#commands.filter((command) => command.startsWith(line)), line];
    const word = /[\w$.]*$/.exec(line)![0];
    if (word === '') return [[], word];
    return [candidates(word, line, await this.#names(), this.#named), word];
  }

  #names(): Promise<Known> {
    if (this.#known !== undefined) return this.#known;
    this.#reading = new AbortController();
    this.#known = this.#readNames(this.#reading.signal).catch(() => {
      this.#known = undefined;
      return NOTHING;
    });
    return this.#known;
  }

  async #readNames(signal: AbortSignal): Promise<Known> {
    const known = await readNames(this.#session, signal);
    // Other engines would need the whole files for that.
    if (!this.#session.readsFilesInPlace) return known;
    this.#filesColumns ??= await columnsOfFiles(this.#session, this.#named, signal);
    return { ...known, columns: new Map([...known.columns, ...this.#filesColumns]) };
  }
}

/** The columns of the files by their names; none for a file that cannot be read as a table. */
async function columnsOfFiles(
  session: ShellSession,
  named: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<Known['columns']> {
  const described = [...named].map(async ([name, path]) => {
    const { statement, parts } = await withLocalFiles(`DESCRIBE ${quoteText(path)}`);
    const rows = await session.rows(statement, signal, parts);
    return [name, rows.map(([column]) => String(column))] as const;
  });
  const settled = await Promise.allSettled(described);
  signal.throwIfAborted();
  return new Map(settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
}

async function readNames(session: ShellSession, signal: AbortSignal): Promise<Known> {
  const names = await session.rows(NAMES, signal);
  const settings = await session.rows('SHOW ALL', signal);
  const of = (kind: string) => names.filter(([found]) => found === kind).map(([, name]) => String(name));
  const columns = names.filter(([kind]) => kind === 'column');
  return {
    tables: new Set([...of('table'), ...of('schema')]),
    columns: new Map(
      [...Map.groupBy(columns, ([, , table]) => String(table).toLowerCase())].map(([table, rows]) => [
        table,
        rows.map(([, name]) => String(name)),
      ]),
    ),
    functions: new Set(of('function').map((name) => name.toLowerCase())),
    settings: settings.map(([name]) => String(name)),
  };
}

function candidates(word: string, line: string, known: Known, named: ReadonlyMap<string, string>): string[] {
  const before = line.slice(0, -word.length);
  if (/^\s*(?:SET|RESET|SHOW)\s+$/i.test(before)) {
    const settings = known.settings.filter((name) => name.startsWith(word.toLowerCase()));
    if (settings.length > 0) return settings;
  }
  const dot = word.lastIndexOf('.');
  if (dot >= 0) {
    const [owner, prefix] = [word.slice(0, dot), word.slice(dot + 1).toLowerCase()];
    const columns = known.columns.get(owner.split('.').at(-1)!.toLowerCase()) ?? [...known.tables];
    return columns.filter((name) => name.toLowerCase().startsWith(prefix)).map((name) => `${owner}.${name}`);
  }
  const isTable = /\b(?:FROM|JOIN|INTO|UPDATE|TABLE|DESCRIBE|SUMMARIZE|\\d)\s+$/i.test(before);
  const tables = [...named.keys(), ...known.tables];
  const isLower = word === word.toLowerCase();
  const words = [...RESERVED_WORDS, ...MORE_WORDS].map((name) =>
    isLower ? name.toLowerCase() : name.toUpperCase(),
  );
  const functions = [...known.functions].map((name) => `${isLower ? name : name.toUpperCase()}(`);
  const columns = [...known.columns.values()].flat();
  const all = isTable ? tables : [...words, ...tables, ...columns, ...functions];
  const found = all.filter((name) => name.toLowerCase().startsWith(word.toLowerCase()));
  return [...new Set(found)].toSorted();
}

/** The files whose path begins like this; directories end in a slash. */
function files(path: string): string[] {
  const directory = path.endsWith('/') ? path : dirname(path);
  const prefix = path.endsWith('/') ? '' : basename(path);
  const shown = path.slice(0, path.length - prefix.length);
  try {
    return readdirSync(directory.replace(/^~(?=\/)/, process.env.HOME ?? '~'), { withFileTypes: true })
      .filter(({ name }) => name.startsWith(prefix))
      .map((entry) => `${shown}${entry.name}${entry.isDirectory() ? '/' : "'"}`);
  } catch {
    return [];
  }
}
