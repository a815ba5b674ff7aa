import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe } from 'vitest';
import type { SharedNode } from '../shared-node.ts';

/** The address of a node for a client. */
export interface Place {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

export function placeOf({ postgres }: SharedNode): Place {
  const [host = '', port = ''] = postgres.split(':');
  return { host, port: Number(port), user: 'tessera', database: 'tessera' };
}

/** Tests that need a program; if it is not installed, they are skipped with that reason. */
export function describeProgram(program: string, tests: () => void): void {
  const isThere = spawnSync(program, ['--version']).error === undefined;
  describe.skipIf(!isThere)(isThere ? program : `${program}: skipped, it is not installed`, tests);
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly args: readonly string[];
  /** Written to its standard input, which is then closed. */
  readonly input?: string | undefined;
  /** Called with the process once it runs. */
  readonly onStart?: (child: ChildProcess) => void;
}

/** Runs a libpq program against a node to its end. */
export async function runProgram(program: string, place: Place, options: RunOptions): Promise<Ended> {
  const child = spawn(program, options.args, {
    env: {
      PATH: process.env.PATH,
      PGHOST: place.host,
      PGPORT: String(place.port),
      PGUSER: place.user,
      PGDATABASE: place.database,
      LC_ALL: 'C.UTF-8',
    },
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  child.stdin.on('error', () => undefined).end(options.input ?? '');
  options.onStart?.(child);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}
