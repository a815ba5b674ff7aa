import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { undoneAtExit } from './undone-at-exit.ts';

const MAIN = fileURLToPath(new URL('../../../../packages/engine/src/main.ts', import.meta.url));

/** A node to measure: one started here, or an endpoint that already runs. */
export interface Target {
  readonly url: string;
  /** Sent with each request as bearer token. */
  readonly token?: string;
  /** The id of the node process if it was started here. */
  readonly pid: number | undefined;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

/** A node that was started here. */
export interface OwnNode extends Target {
  readonly metricsUrl: string;
  /** The URL such as `postgres://127.0.0.1:5432`, with the port of `--postgres-port`. */
  readonly postgresUrl: string | undefined;
  readonly dataDirectory: string;
  /**
   * Stops it, calls `between` with its data directory, and restarts it there. `stop` then refers to the new
   * process.
   */
  restart(between?: (dataDirectory: string) => Promise<void>): Promise<OwnNode>;
}

const FREE_PORTS = [
  'http',
  'health',
  'metrics',
  'storage-manager',
  'storage-agent',
  'distexec',
  'shuffle',
].flatMap((port) => [`--${port}-port`, '0']);

/** Benchmarks repeat queries to measure how long they take to compute. */
const NO_REUSE = ['--result-cache-bytes', '0', '--subresult-cache-bytes', '0'];

export interface StartOptions {
  /** Arguments after those for the data directory and free ports. */
  readonly args?: readonly string[];
  /** Whether the node reuses results; by default it does not. */
  readonly reusesResults?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** The path of the program; by default the one of this checkout. */
  readonly program?: string;
}

/**
 * Starts `tessera serve` with its defaults except for the caches of results and their parts, on free ports and a temporary data directory, which `stop`
 * removes.
 */
export const startTessera = async (options: StartOptions = {}): Promise<OwnNode> =>
  startOn(await mkdtemp(join(tmpdir(), 'tessera-loadtest-')), options);

async function startOn(dataDirectory: string, options: StartOptions): Promise<OwnNode> {
  const { args = [], env, reusesResults = false, program = MAIN } = options;
  const child = spawn(
    process.execPath,
    [
      program,
      'serve',
      '--data-dir',
      dataDirectory,
      ...FREE_PORTS,
      ...(reusesResults ? [] : NO_REUSE),
      ...args,
    ],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      // This program handles Ctrl-C.
      detached: true,
      env: { ...process.env, ...env },
    },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const callOff = undoneAtExit(() => {
    child.kill('SIGKILL');
    rmSync(dataDirectory, { recursive: true, force: true });
  });
  const end = async () => {
    child.kill('SIGTERM');
    await exited;
    callOff();
  };
  const stop = async () => {
    await end();
    await rm(dataDirectory, { recursive: true, force: true });
  };
  const restart: OwnNode['restart'] = async (between) => {
    await end();
    await between?.(dataDirectory);
    return startOn(dataDirectory, options);
  };
  try {
    const { query, metrics, postgres } = await addresses(child);
    return {
      url: query,
      metricsUrl: metrics,
      postgresUrl: postgres,
      pid: child.pid,
      dataDirectory,
      stop,
      restart,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits for the log records with the node's addresses, and drains the log. */
function addresses(
  child: ChildProcess,
): Promise<{ query: string; metrics: string; postgres: string | undefined }> {
  return new Promise((resolve, reject) => {
    const log: string[] = [];
    let listening = false;
    createInterface({ input: child.stderr! }).on('line', (line) => {
      if (listening) return;
      log.push(line);
      const query = /"query (http:[^"]+)"/.exec(line)?.[1];
      const metrics = /"metrics (http:[^"]+)"/.exec(line)?.[1];
      if (query === undefined || metrics === undefined) return;
      const postgres = /"postgres (postgres:[^"]+)"/.exec(line)?.[1];
      listening = true;
      resolve({ query, metrics, postgres });
    });
    child.once('exit', (code) => reject(new Error(`tessera serve ended with ${code}:\n${log.join('\n')}`)));
  });
}
