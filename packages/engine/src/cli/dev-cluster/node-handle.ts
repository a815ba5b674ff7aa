import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export interface NodeStart {
  /** The position in `engine.nodes`. */
  readonly index: number;
  /** The arguments of `tessera serve`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The log file, which is appended to. */
  readonly logPath: string;
}

export interface NodeEnd {
  /** `exit code 1`, `SIGKILL`, and so on. */
  readonly reason: string;
}

const PROGRAM = fileURLToPath(new URL('../node-process.ts', import.meta.url));
const LAST_LINES = 15;

/** A running node of a dev cluster. */
export class NodeHandle {
  readonly index: number;
  readonly logPath: string;
  /** Resolves when the process has ended for whatever reason. */
  readonly ended: Promise<NodeEnd>;
  readonly #child: ChildProcess;

  constructor({ index, args, env, logPath }: NodeStart) {
    this.index = index;
    this.logPath = logPath;
    const log = openSync(logPath, 'a');
    // The node gets a process group of its own: Ctrl-C is meant for the cluster, which then stops its nodes.
    this.#child = fork(PROGRAM, args, {
      detached: true,
      env: { ...process.env, ...env },
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve({ reason: error.message }));
      this.#child.once('exit', (code, signal) => resolve({ reason: signal ?? `exit code ${code}` }));
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** The last lines of its log. */
  async lastWords(): Promise<string> {
    const log = await readFile(this.logPath, 'utf8').catch(() => '');
    return log.trimEnd().split('\n').slice(-LAST_LINES).join('\n');
  }
}
