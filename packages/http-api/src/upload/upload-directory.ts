import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the files of one request live until it ends. */
interface UploadDirectory {
  readonly path: string;
  /** Deletes the directory with everything in it; may be called more than once. */
  remove(): Promise<void>;
}

/** Creates the directory of a request below `root`, readable by the engine's user only. */
export async function openUploadDirectory(root: string, requestId: string): Promise<UploadDirectory> {
  const path = join(root, requestId);
  await mkdir(root, { recursive: true, mode: 0o700 });
  await mkdir(path, { mode: 0o700 });
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Deletes what a crash left below `root`; for start-up, before the first request. Gives the number of requests. */
export async function clearUploadDirectories(root: string): Promise<number> {
  const leftOvers = await readdir(root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const entry of leftOvers) await rm(join(root, entry), { recursive: true, force: true });
  return leftOvers.length;
}
