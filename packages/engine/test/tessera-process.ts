import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MAIN } from './programs.ts';

const PORTS = [
  'http',
  'health',
  'metrics',
  'storage-manager',
  'storage-agent',
  'distexec',
  'shuffle',
] as const;

/** A real `tessera serve` with its own data directory, on free ports. */
export interface TesseraProcess {
  readonly url: string;
  /** The `host:port` of the PostgreSQL protocol; empty if it has no port (`--postgres-port 0`). */
  readonly postgres: string;
  readonly healthUrl: string;
  readonly metricsUrl: string;
  readonly dataDirectory: string;
  readonly child: ChildProcess;
  /** All log records so far. */
  readonly log: readonly Record<string, unknown>[];
  /** Sends SIGTERM and resolves with the exit code once the process is gone. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Stops the process and removes its data directory. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface StartOptions {
  readonly args?: readonly string[];
  /** The ports of which any free one will do; the configuration file gives the others. All of them by default. */
  readonly freePorts?: readonly (typeof PORTS)[number][];
  readonly env?: Readonly<Record<string, string>>;
  /** Reuses the directory of an earlier process, as after a crash. */
  readonly dataDirectory?: string;
  /** A command that runs it: it gets the process's command as further arguments and replaces itself by it. */
  readonly runBy?: readonly string[];
}

export async function startTessera(options: StartOptions = {}): Promise<TesseraProcess> {
  const dataDirectory = options.dataDirectory ?? (await mkdtemp(join(tmpdir(), 'tessera-test-')));
  const [program, ...args] = [
    ...(options.runBy ?? []),
    process.execPath,
    ...[MAIN, 'serve', '--data-dir', dataDirectory],
    ...(options.freePorts ?? PORTS).flatMap((port) => [`--${port}-port`, '0']),
    ...(options.args ?? []),
  ];
  const child = spawn(program!, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...options.env },
  });
  // The process has ended and its last log record has been read.
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const log: Record<string, unknown>[] = [];
  const addresses = await listening(child, log, exited).catch(async (error) => {
    if (options.dataDirectory === undefined) await rm(dataDirectory, { recursive: true, force: true });
    throw error;
  });
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return exited;
  };
  return {
    url: addresses.get('query') ?? '',
    postgres: (addresses.get('postgres') ?? '').replace('postgres://', ''),
    healthUrl: addresses.get('health') ?? '',
    metricsUrl: addresses.get('metrics') ?? '',
    dataDirectory,
    child,
    log,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

/** Waits for the log record with the node's address; the other records are kept as well. */
function listening(
  child: ChildProcess,
  log: Record<string, unknown>[],
  exited: Promise<number | null>,
): Promise<Map<string, string>> {
  return new Promise((resolve, reject) => {
    const unparsed: string[] = [];
    createInterface({ input: child.stderr! }).on('line', (line) => {
      try {
        const record = JSON.parse(line) as Record<string, unknown>;
        log.push(record);
        if (record.msg !== 'listening') return;
        resolve(new Map((record.listeners as string[]).map((l) => l.split(' ') as [string, string])));
      } catch {
        unparsed.push(line);
      }
    });
    exited.then((code) => reject(new Error(`tessera serve ended with ${code}: ${unparsed.join('\n')}`)));
  });
}
