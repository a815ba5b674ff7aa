import { open } from 'node:fs/promises';
import { discardBytes, readInto } from '@tessera/common';
import { FileService, type ServedService, serviceOf } from '@tessera/rpc';
import type { SharedFiles } from './shared-files.ts';

const CHUNK_BYTES = 1 << 20;

/** Serves ranges of shared files to other nodes. */
export const fileService = (shared: SharedFiles): ServedService =>
  serviceOf(FileService, {
    async *readFile({ id, start, end }) {
      await using file = await open(shared.path(id), 'r');
      for (let at = Number(start); at < Number(end); at += CHUNK_BYTES) {
        const chunk = Buffer.allocUnsafeSlow(Math.min(Number(end) - at, CHUNK_BYTES));
        const read = await readInto(file, chunk, at);
        yield { bytes: chunk.subarray(0, read) };
        discardBytes(chunk);
        if (read < CHUNK_BYTES) return;
      }
    },
  });
