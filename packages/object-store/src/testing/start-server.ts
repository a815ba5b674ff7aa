import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type ServerProgram = 'radosgw' | 'azurite' | 's3rver' | 'fault-proxy';

/** The line that a server of the S3 protocol prints. */
export interface S3Facts {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface RunningServer<F> extends AsyncDisposable {
  /** The line that the program printed when it was ready. */
  readonly facts: F;
}

/** Starts one of the server programs of this directory; it ends with this process at the latest. */
export async function startServer<F>(
  program: ServerProgram,
  ...args: readonly string[]
): Promise<RunningServer<F>> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${program}-process.ts`), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const said: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  const ended = once(child, 'close');
  const line = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([text]) => String(text)),
    ended.then(() => undefined),
  ]);
  if (line === undefined) throw new Error(`${program} did not start: ${Buffer.concat(said).toString()}`);
  return {
    facts: JSON.parse(line) as F,
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
