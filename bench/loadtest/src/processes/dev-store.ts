import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(
  new URL('../../../../packages/object-store/src/testing/s3-dev-process.ts', import.meta.url),
);

interface Facts {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** An object store that several nodes share, in a process of its own. */
export class DevStore {
  readonly endpoint: string;
  /** The environment of nodes that use it: credentials of the store, and the cluster token. */
  readonly env: Readonly<Record<string, string>>;
  readonly #stop: () => Promise<void>;

  private constructor({ endpoint, accessKeyId, secretAccessKey }: Facts, stop: () => Promise<void>) {
    this.endpoint = endpoint;
    this.env = {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      TESSERA_CLUSTER_TOKEN: randomBytes(16).toString('hex'),
    };
    this.#stop = stop;
  }

  static async start(): Promise<DevStore> {
    const child = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
    const ended = once(child, 'close');
    const line = once(createInterface(child.stdout), 'line').then(([text]) => String(text));
    const facts = await Promise.race([line, ended.then(() => undefined)]);
    if (facts === undefined) throw new Error('The development store did not start');
    return new DevStore(JSON.parse(facts) as Facts, async () => {
      child.stdin.end();
      await ended;
    });
  }

  /** Stops it and removes its contents. */
  stop(): Promise<void> {
    return this.#stop();
  }
}
