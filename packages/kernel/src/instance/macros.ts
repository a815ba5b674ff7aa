import { createHash } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import type { NativeConnection } from '../native/connection.ts';
import { duckdb } from '../native/library.ts';
import { quoteText } from '../types/quoting.ts';

/** The name under which the file is attached. */
const KEPT = 'kept_macros';
/** The format of older versions of the kernel does not tell a lambda from the operator `->`. */
const FORMAT = "STORAGE_VERSION 'latest'";

export const isMacro = (statement: string): boolean => /^CREATE (OR REPLACE )?MACRO /.test(statement);

/**
 * Creates macros in a database that has nothing else yet and is not locked down. The kernel binds the body of each macro that it
 * creates, which is most of the CPU time in which an instance opens. So a process with a compile cache keeps a database file with the macros
 * there, and later processes copy them from it.
 */
export async function createMacros(connection: NativeConnection, macros: readonly string[]): Promise<void> {
  const file = macros.length === 0 ? undefined : fileOf(macros);
  if (file !== undefined && existsSync(file) && (await areCopied(connection, file))) return;
  await connection.run(macros.join(';\n'));
  if (file !== undefined) await keep(connection, file);
}

/** Another version of the kernel may write another format, or bind the same text differently. */
function fileOf(macros: readonly string[]): string | undefined {
  const directory = getCompileCacheDir();
  if (directory === undefined) return undefined;
  const hash = createHash('sha256').update(JSON.stringify([duckdb.libraryVersion(), FORMAT, macros]));
  return join(directory, `macros-${hash.digest('hex').slice(0, 32)}.db`);
}

/** Returns false if the file cannot be read; then there are no macros. */
const areCopied = (connection: NativeConnection, file: string): Promise<boolean> =>
  withFile(connection, `${quoteText(file)} AS ${KEPT} (READ_ONLY)`, `${KEPT} TO memory`);

/** Without a file, for example because the disk is full, later processes create the macros themselves. */
async function keep(connection: NativeConnection, file: string): Promise<void> {
  const written = `${file}.${process.pid}`;
  const isWritten = await withFile(
    connection,
    `${quoteText(written)} AS ${KEPT} (${FORMAT})`,
    `memory TO ${KEPT}`,
  );
  try {
    if (isWritten) renameSync(written, file);
    else rmSync(written, { force: true });
  } catch {
    // The directory is not ours to write to.
  }
}

async function withFile(connection: NativeConnection, attached: string, copied: string): Promise<boolean> {
  try {
    await connection.run(`ATTACH ${attached}; COPY FROM DATABASE ${copied}`);
    return true;
  } catch {
    return false;
  } finally {
    await connection.run(`DETACH DATABASE IF EXISTS ${KEPT}`);
  }
}
