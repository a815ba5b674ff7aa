import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { MAIN } from '../programs.ts';

export interface EndedCommand {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `tessera` with these arguments. */
export const startCommand = (...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });

/** Runs `tessera` with these arguments to its end. */
export async function command(...args: readonly string[]): Promise<EndedCommand> {
  const child = startCommand(...args);
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stdout!),
    text(child.stderr!),
  ]);
  return { code, stdout, stderr };
}
