import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const MAIN = join(import.meta.dirname, '../../../engine/src/main.ts');

/** A node to measure: one started here, or an endpoint that runs already. */
export interface Target {
  readonly url: string;
  /** The node process where it was started here. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

export const runningEndpoint = (url: string): Target => ({ url, pid: undefined, stop: async () => {} });

/** Starts `tessera serve` with its defaults, on free ports, on a data directory of its own that `stop` removes. */
export async function startTessera(): Promise<Target> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tessera-loadtest-'));
  const ports = ['--http-port', '0', '--health-port', '0', '--metrics-port', '0'];
  const child = spawn(process.execPath, [MAIN, 'serve', '--data-dir', dataDirectory, ...ports], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // When the benchmark is broken off there is no time for a graceful stop.
  const abandon = () => {
    child.kill('SIGKILL');
    rmSync(dataDirectory, { recursive: true, force: true });
  };
  process.once('exit', abandon);
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    process.off('exit', abandon);
    await rm(dataDirectory, { recursive: true, force: true });
  };
  try {
    return { url: await queryAddress(child), pid: child.pid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits for the log record that says where the node listens, and keeps the log from filling its pipe. */
function queryAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const log: string[] = [];
    let listening = false;
    createInterface({ input: child.stderr! }).on('line', (line) => {
      if (listening) return;
      log.push(line);
      const address = /"query (http:[^"]+)"/.exec(line)?.[1];
      if (address === undefined) return;
      listening = true;
      resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`tessera serve ended with ${code}:\n${log.join('\n')}`)));
  });
}
