import { copyFile, link, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Puts the files of a directory elsewhere, those that `wanted` says by their paths; links stay as they are, and directories without a
 * file are left out. Files are linked where that can be, so they must not be written to.
 */
export async function copyTree(from: string, to: string, wanted: (path: string) => boolean): Promise<void> {
  let made: Promise<unknown> | undefined;
  const directory = () => (made ??= mkdir(to, { recursive: true }));
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (!wanted(source)) continue;
    if (entry.isDirectory()) await copyTree(source, target, wanted);
    else {
      await directory();
      if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
      else await linkOrCopy(source, target);
    }
  }
}

/** In place of a copy of one file. */
export async function placeFile(source: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  await linkOrCopy(source, target);
}

const linkOrCopy = (source: string, target: string) =>
  link(source, target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error;
    return copyFile(source, target);
  });
