import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kernel, type KernelOptions, startKernel } from '@tessera/kernel';
import { mirrorBootstrap } from '@tessera/planner';
import { kernelBootstrap } from '@tessera/sql';
import { agentBootstrap } from '@tessera/storage-agent';
import { sharedTablesBootstrap } from '../reuse/shared-table.ts';

const silent = () => undefined;
let mirror: Promise<Kernel> | undefined;
let executing: Promise<ExecutingKernel> | undefined;

interface ExecutingKernel {
  readonly kernel: Kernel;
  /** Its SQL may read what is below. */
  readonly readable: string;
}

/** A kernel that several test files use. */
export interface TakenKernel extends ExecutingKernel, AsyncDisposable {}

/** The number of `TakenKernel` that are in use. */
let users = 0;

const start = (
  directory: string,
  options: Pick<KernelOptions, 'readableDirectories' | 'bootstrap' | 'definesRelations'>,
) =>
  startKernel({
    directory: join(directory, 'kernel'),
    memoryLimitBytes: 1e9,
    threads: 2,
    log: { info: silent, warn: silent, error: silent },
    ...options,
  });

/**
 * The kernel that plans for all nodes that tests open in this process, because its start takes longer than most tests. The names of
 * the tables that they define there contain unique ids. It ends with the process.
 */
export function sharedMirror(): Promise<Kernel> {
  mirror ??= start(mkdtempSync(join(tmpdir(), 'mirror-test-')), {
    readableDirectories: [],
    bootstrap: [...kernelBootstrap, ...mirrorBootstrap],
    definesRelations: true,
  });
  return mirror;
}

/**
 * The kernel that executes for these nodes. Once nobody uses it, the disposal removes the tables that storage agents and
 * statements have left in its memory.
 */
export async function takeKernel(): Promise<TakenKernel> {
  executing ??= startExecuting();
  users += 1;
  const { kernel, readable } = await executing;
  return {
    kernel,
    readable,
    [Symbol.asyncDispose]: async () => {
      users -= 1;
      if (users > 0) return;
      const session = await kernel.session();
      const names = await session.scalar(
        "SELECT coalesce(string_agg('DROP TABLE ' || database_name || '.' || schema_name || '.\"' || table_name || '\"', ';'), '') FROM duckdb_tables() WHERE database_name IN ('hot', 'kept')",
      );
      for (const sql of String(names).split(';')) if (sql !== '') await session.execute(sql);
      await session.close();
    },
  };
}

async function startExecuting(): Promise<ExecutingKernel> {
  const directory = mkdtempSync(join(tmpdir(), 'kernel-test-'));
  const readable = join(directory, 'readable');
  mkdirSync(readable);
  const bootstrap = [...kernelBootstrap, ...agentBootstrap, sharedTablesBootstrap];
  return { kernel: await start(directory, { readableDirectories: [readable], bootstrap }), readable };
}
