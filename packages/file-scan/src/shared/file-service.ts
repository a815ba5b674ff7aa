import { open } from 'node:fs/promises';
import { FileService, type ServedService, serviceOf } from '@tessera/rpc';
import { readFrom, type SharedFiles } from './shared-files.ts';

const CHUNK_BYTES = 1 << 20;

/** Serves ranges of shared files to other nodes. */
export const fileService = (shared: SharedFiles): ServedService =>
  serviceOf(FileService, {
    async *readFile({ id, start, end }) {
      await using file = await open(shared.path(id), 'r');
      for (let at = Number(start); at < Number(end); at += CHUNK_BYTES) {
        const bytes = await readFrom(file, at, Math.min(Number(end), at + CHUNK_BYTES));
        yield { bytes };
        if (bytes.length < CHUNK_BYTES) return;
      }
    },
  });
