import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const MAX_ENTRIES = 1_000;

/** The file that keeps the statements of earlier sessions. */
export const historyPath = (environment = process.env): string =>
  join(environment.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'tessera', 'history');

/** The statements of earlier sessions, newest first; none if the file cannot be read. */
export async function readHistory(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, MAX_ENTRIES);
}

/** Keeps the statements, newest first. Only the user can read them, because they may contain data. */
export async function writeHistory(path: string, entries: readonly string[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, entries.slice(0, MAX_ENTRIES).join('\n').concat('\n'), { mode: 0o600 });
  await chmod(path, 0o600);
}

/** Statements with passwords and keys are not kept. */
export const mayBeKept = (statement: string): boolean =>
  !/\b(?:password|secret|credentials|session_token|secret_access_key)\b/i.test(statement);
