import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { firstLine } from './first-line.ts';
import { storeProgram } from './programs.ts';

/** The output of an S3 server once it is running. */
export interface S3Server {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A rule of the fault-injecting proxy in front of an object store; see the README of object-store. */
export interface FaultRule {
  readonly fault: { readonly kind: string; readonly [parameter: string]: unknown };
  readonly method?: string;
  readonly path?: string;
  readonly percent?: number;
  readonly times?: number;
}

export interface RadosgwBehindFaults extends AsyncDisposable {
  readonly endpoint: string;
  readonly credentials: Pick<S3Server, 'accessKeyId' | 'secretAccessKey'>;
  /** The environment of a process that uses it. */
  readonly env: Readonly<Record<string, string>>;
  set(...rules: readonly FaultRule[]): Promise<void>;
  /** The number of requests that each rule has caught. */
  caught(): Promise<number[]>;
}

export const radosgwIsInstalled = ['radosgw', 'ceph', 'ceph-mon', 'ceph-osd'].every(
  (program) => spawnSync('which', [program]).status === 0,
);

/** Ceph's S3 gateway behind the fault-injecting proxy. */
export async function startRadosgwBehindFaults(): Promise<RadosgwBehindFaults> {
  const server = await startProgram<S3Server>('radosgw');
  const proxy = await startProgram<{ endpoint: string; control: string }>(
    'fault-proxy',
    server.facts.endpoint,
    '3',
  );
  const { control, endpoint } = proxy.facts;
  return {
    endpoint,
    credentials: server.facts,
    env: credentialsOf(server.facts),
    set: async (...rules) => {
      const answer = await fetch(control, { method: 'PUT', body: JSON.stringify(rules) });
      if (!answer.ok) throw new Error(await answer.text());
    },
    caught: async () => {
      const states = (await (await fetch(control)).json()) as { caught: number }[];
      return states.map((state) => state.caught);
    },
    [Symbol.asyncDispose]: async () => {
      await proxy.stop();
      await server.stop();
    },
  };
}

export const credentialsOf = ({ accessKeyId, secretAccessKey }: S3Server) => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
});

/**
 * Starts a server program of the object store's tests: it prints its facts as one line and ends when its
 * input closes.
 */
export async function startProgram<F>(name: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [storeProgram(name), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const line = await firstLine(child);
  return {
    facts: JSON.parse(line) as F,
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
