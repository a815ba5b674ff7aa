import { open } from 'node:fs/promises';
import { discardBytes } from '@tessera/common';
import { FileService, type ServedService, serviceOf } from '@tessera/rpc';
import { readFrom, SHARED_CHUNK_BYTES, type SharedFiles } from './shared-files.ts';

/** Serves ranges of shared files to other nodes. */
export const fileService = (shared: SharedFiles): ServedService =>
  serviceOf(FileService, {
    async *readFile({ id, start, end }) {
      await using file = await open(shared.path(id), 'r');
      for (let at = Number(start); at < Number(end); at += SHARED_CHUNK_BYTES) {
        const bytes = await readFrom(file, at, Math.min(Number(end), at + SHARED_CHUNK_BYTES));
        const isLast = bytes.length < SHARED_CHUNK_BYTES;
        yield { bytes };
        discardBytes(bytes);
        if (isLast) return;
      }
    },
  });
