import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const INSTALLED = '/usr/lib/postgresql';

export interface PostgresReference extends AsyncDisposable {
  /** The directory of its Unix socket, where user `postgres` needs no password. */
  readonly host: string;
}

/** The programs of the newest PostgreSQL server that Debian has installed; undefined if there is none. */
export function postgresPrograms(): string | undefined {
  if (!existsSync(INSTALLED) || runAs() === undefined) return undefined;
  return readdirSync(INSTALLED)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(INSTALLED, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'postgres')) && existsSync(join(bin, 'initdb')));
}

/** The user that the server runs as, since it refuses to run as root. */
function runAs(): { readonly uid?: number; readonly gid?: number } | undefined {
  if (process.getuid!() !== 0) return {};
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'postgres');
  return entry && { uid: Number(entry[2]), gid: Number(entry[3]) };
}

/** A PostgreSQL server in a temporary directory that compares texts by bytes. */
export async function startPostgres(bin: string): Promise<PostgresReference> {
  const owner = runAs()!;
  const directory = await mkdtemp(join(tmpdir(), 'tessera-postgres-'));
  if (owner.uid !== undefined) await chown(directory, owner.uid, owner.gid!);
  const data = join(directory, 'data');
  const initdb = [
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C',
    '--lc-ctype=C.UTF-8',
    '--no-sync',
  ];
  await promisify(execFile)(join(bin, 'initdb'), initdb, { ...owner, cwd: directory });
  const settings = ['listen_addresses=', 'fsync=off', 'max_connections=5'].flatMap((s) => ['-c', s]);
  const child = spawn(join(bin, 'postgres'), ['-D', data, '-k', directory, ...settings], {
    ...owner,
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await listening(child);
  return {
    host: directory,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGINT');
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Waits for the log line that reports readiness, and drains the log afterwards. */
function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      if (log.length < 100_000) log += text;
      if (log.includes('ready to accept connections')) resolve();
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}:\n${log}`)));
  });
}
