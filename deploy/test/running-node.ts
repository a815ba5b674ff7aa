import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A running process and its addresses by purpose (`query`, `postgres`, `health`, …). */
export interface RunningNode {
  readonly child: ChildProcess;
  readonly addresses: ReadonlyMap<string, string>;
  /** The lines that it wrote to stderr. */
  readonly log: readonly string[];
  readonly exited: Promise<number | null>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a program that runs `tessera serve`, and waits until it listens. */
export async function startNode(
  [program, ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<RunningNode> {
  const child = spawn(program!, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
  // Resolves when the process has ended and its last line has been read.
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const log: string[] = [];
  const addresses = await new Promise<Map<string, string>>((resolve, reject) => {
    createInterface({ input: child.stderr! }).on('line', (line) => {
      log.push(line);
      const { msg, listeners } = line.startsWith('{') ? JSON.parse(line) : {};
      if (msg === 'listening') resolve(new Map(listeners.map((l: string) => l.split(' '))));
    });
    child.once('error', reject);
    void exited.then((code) => reject(new Error(`ended with ${code}: ${log.join('\n')}`)));
  });
  return {
    child,
    addresses,
    log,
    exited,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
