import { open, readFile, stat } from 'node:fs/promises';
import { copyFrom, fail, TesseraError } from '@tessera/common';
import type { LocalDirectories } from './local-directories.ts';
import type { ExternalReader, ResolvedFile } from './resolved-files.ts';

/** Reads files of this node, within the directories that statements may read. */
export function localReader(local: LocalDirectories, signal: AbortSignal): ExternalReader {
  const resolve = async (url: string): Promise<readonly string[]> => {
    if (!/^(?:\/|file:)/i.test(url))
      fail('NOT_SUPPORTED', {
        what: `${url}, which belongs to a table on this node without an absolute path,`,
      });
    return local.resolve(url, signal);
  };
  const found = async (url: string): Promise<readonly string[]> => {
    try {
      return await resolve(url);
    } catch (error) {
      if (error instanceof TesseraError && error.name === 'FILE_NOT_FOUND') return [];
      throw error;
    }
  };
  return {
    range: async ({ url }, start, end) => {
      const [path] = await resolve(url);
      await using file = await open(path!, 'r');
      const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
      return buffer.subarray(0, bytesRead);
    },
    copy: async ({ url }, start, end, take) => {
      const [path] = await resolve(url);
      await using file = await open(path!, 'r');
      await copyFrom(file, [start, end], take);
    },
    whole: async (url) => {
      const [path] = await found(url);
      return path === undefined ? undefined : readFile(path);
    },
    list: async (pattern) => Promise.all((await found(pattern)).map(localFile)),
  };
}

export async function localFile(path: string): Promise<ResolvedFile> {
  const found = await stat(path);
  return { path, url: path, bytes: found.size, modifiedAt: found.mtime };
}
