import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CommandFailure, EXIT } from '../exit-code.ts';
import { LOCAL_FILE_KEY } from '../local-file-key.ts';

const PROGRAM = fileURLToPath(new URL('../node-process.ts', import.meta.url));
const ANY_PORT = ['http', 'health', 'metrics'].flatMap((port) => [`--${port}-port`, '0']);

/** A node of its own for one shell. */
export interface EmbeddedEngine extends AsyncDisposable {
  /** Its address, once it accepts statements. Rejects with a CommandFailure that has the reason if it does not start. */
  readonly url: Promise<string>;
  /** With this key, the engine reads files of this machine in place. */
  readonly localFileKey: string;
}

/**
 * Starts a node on free ports of this machine, without waiting for it.
 * @param directory keeps its tables; without it, they are in a temporary directory that is removed at the end
 */
export function startEmbeddedEngine(directory: string | undefined): EmbeddedEngine {
  const data = directory === undefined ? mkdtempSync(join(tmpdir(), 'tessera-shell-')) : resolve(directory);
  // The node has a process group of its own, so Ctrl-C is only for the shell. It ends when the shell is gone.
  const localFileKey = randomBytes(32).toString('hex');
  const child = fork(PROGRAM, ['serve', '--data-dir', data, ...ANY_PORT], {
    detached: true,
    // Other users can see the arguments of a process, but not its environment.
    env: { ...process.env, [LOCAL_FILE_KEY]: localFileKey },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    if (directory === undefined) await rm(data, { recursive: true, force: true, maxRetries: 10 });
  };
  const url = listening(child.stderr!, exited);
  // The caller that waits for the address gets the error.
  url.catch(() => undefined);
  return { url, localFileKey, [Symbol.asyncDispose]: stop };
}

/** Resolves to the address for statements, and keeps reading the log so that the node can write it. */
function listening(log: NodeJS.ReadableStream, exited: Promise<void>): Promise<string> {
  return new Promise((resolve, reject) => {
    const last: string[] = [];
    const lines = createInterface({ input: log });
    lines.on('line', (line) => {
      const address = /"msg":"listening"/.test(line) && /"query (http[^"]+)"/.exec(line)?.[1];
      if (address) resolve(address);
      last.push(reasonIn(line));
      if (last.length > 5) last.shift();
    });
    // A process may end before its last lines have been read, which tell the reason.
    const read = new Promise<void>((done) => lines.once('close', done));
    void Promise.all([exited, read]).then(() =>
      reject(new CommandFailure(EXIT.failed, `error: the engine did not start\n${last.join('\n')}`)),
    );
  });
}

function reasonIn(line: string): string {
  try {
    return String((JSON.parse(line) as { msg?: unknown }).msg ?? line);
  } catch {
    return line;
  }
}
