import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { undoneAtExit } from '../processes/undone-at-exit.ts';
import type { PeerKind } from './peer.ts';
import { PostgresPeer, type PostgresServer } from './postgres-peer.ts';

const INSTALLED = '/usr/lib/postgresql';
const MB = 2 ** 20;
const STARTED_WITHIN_MS = 60_000;

/** PostgreSQL from the Debian package, on a temporary directory. */
export const postgreSql: PeerKind = {
  name: 'postgres',
  about: 'PostgreSQL of this machine on a directory of its own, with indexes on keys',
  missing: async () =>
    programs() === undefined
      ? 'apt-get install postgresql'
      : unprivileged() === undefined
        ? 'it does not run as root, and there is no user postgres or nobody'
        : undefined,
  start: async () => PostgresPeer.connect('PostgreSQL', await startServer()),
};

/** The programs of the newest version. */
function programs(): string | undefined {
  if (!existsSync(INSTALLED)) return undefined;
  return readdirSync(INSTALLED)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(INSTALLED, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'postgres')) && existsSync(join(bin, 'initdb')));
}

interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

/** The user that the server runs as, because it refuses to run as root. */
function unprivileged(): Owner | undefined {
  if (process.getuid!() !== 0) return {};
  const entries = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const entry = ['postgres', 'nobody']
    .map((name) => entries.find((fields) => fields[0] === name))
    .find((found) => found !== undefined);
  return entry && { uid: Number(entry[2]), gid: Number(entry[3]) };
}

/** Half of the settings for a dedicated machine, since it shares this one. */
function settings(): string[] {
  const memoryMb = Math.floor(totalmem() / MB);
  const values = {
    listen_addresses: '',
    shared_buffers: `${Math.floor(Math.min(memoryMb / 8, 8192))}MB`,
    effective_cache_size: `${Math.floor(memoryMb / 2)}MB`,
    work_mem: `${Math.floor(Math.min(memoryMb / 64, 1024))}MB`,
    maintenance_work_mem: `${Math.floor(Math.min(memoryMb / 16, 2048))}MB`,
    max_wal_size: '8GB',
    wal_level: 'minimal',
    max_wal_senders: '0',
    random_page_cost: '1.1',
    max_parallel_workers_per_gather: String(availableParallelism()),
    max_parallel_maintenance_workers: String(availableParallelism()),
    autovacuum: 'off',
    dynamic_shared_memory_type: 'posix',
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function startServer(): Promise<PostgresServer> {
  const bin = programs()!;
  const owner = unprivileged()!;
  const directory = await mkdtemp(join(tmpdir(), 'tessera-loadtest-postgres-'));
  if (owner.uid !== undefined) await chown(directory, owner.uid, owner.gid!);
  const data = join(directory, 'data');
  const callOff = undoneAtExit(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));
  const remove = async () => {
    await rm(directory, { recursive: true, force: true });
    callOff();
  };
  try {
    await promisify(execFile)(
      join(bin, 'initdb'),
      ['-D', data, '-U', 'loadtest', '-A', 'trust', '-E', 'UTF8', '--locale=C'],
      { ...owner, cwd: directory },
    );
    let server = await startOn(bin, data, directory, owner);
    return {
      connection: { host: directory, user: 'loadtest', database: 'postgres' },
      pid: () => server.pid,
      restart: async () => {
        await server.stop();
        server = await startOn(bin, data, directory, owner);
      },
      stop: async () => {
        await server.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

interface Running {
  readonly pid: number;
  stop(): Promise<void>;
}

async function startOn(bin: string, data: string, directory: string, owner: Owner): Promise<Running> {
  const child = spawn(join(bin, 'postgres'), ['-D', data, '-k', directory, ...settings()], {
    ...owner,
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const callOff = undoneAtExit(() => child.kill('SIGQUIT'));
  await listening(child);
  return {
    pid: child.pid!,
    stop: async () => {
      // This signal ends connections too and leaves nothing to recover.
      child.kill('SIGINT');
      await exited;
      callOff();
    },
  };
}

/**
 * Waits for the log line that reports readiness, and drains the log. @throws Error with the log of a server
 * that ended
 */
function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = '';
    const timer = setTimeout(() => reject(new Error(`PostgreSQL did not start:\n${log}`)), STARTED_WITHIN_MS);
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      if (log.length < MB) log += text;
      if (!log.includes('ready to accept connections')) return;
      clearTimeout(timer);
      resolve();
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}:\n${log}`)));
  });
}
