import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TesseraError } from '@tessera/common';

/**
 * Locks a data directory for this process; the returned function unlocks it. A lock whose process is gone is
 * taken over.
 * @throws TesseraError INVALID_ARGUMENT if another process uses the directory, or if it cannot be written
 */
export async function lockDataDirectory(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, 'tessera.pid');
  await createDataDirectory(directory);
  for (;;) {
    try {
      const file = await open(path, 'wx');
      await file.writeFile(`${process.pid}\n`);
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') refuse(directory, (error as Error).message);
    }
    const owner = Number(await readFile(path, 'utf8').catch(() => ''));
    if (owner > 0 && owner !== process.pid && isAlive(owner))
      refuse(directory, `process ${owner} serves from it`);
    await rm(path, { force: true });
  }
}

/**
 * Creates a data directory and those above it.
 * @throws TesseraError INVALID_ARGUMENT if it cannot be created
 */
export async function createDataDirectory(directory: string): Promise<void> {
  await createDirectory(directory).catch((error: Error) => refuse(directory, error.message));
}

/** `mkdir` with `recursive` never ends where no directory can be created, as in `/proc`. */
async function createDirectory(directory: string): Promise<void> {
  if (existsSync(directory)) return;
  const above = dirname(directory);
  if (above !== directory) await createDirectory(above);
  await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

function refuse(directory: string, reason: string): never {
  throw TesseraError.of('INVALID_ARGUMENT', {
    message: `The data directory ${directory} cannot be used: ${reason}`,
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
