import { open } from 'node:fs/promises';
import { fail } from '@tessera/common';
import type { CsvBytes, FileUnit, ReadRange } from '../file-scan.ts';
import { QuoteState } from './quote-state.ts';

const CHUNK_BYTES = 4 << 20;

/**
 * Writes a unit of a text file to a new file. The unit of a part must end where a record ends. Every part is
 * checked like this, from the known start of the file on, so none of them begins within a quoted field,
 * although their starts were guessed.
 * @throws TesseraError BAD_FILE if the part ends within a quoted field
 */
export async function fetchCsv(
  { file, part }: FileUnit,
  path: string,
  shape: CsvBytes,
  read: ReadRange,
): Promise<void> {
  const [from, to] = part ?? [0, file.bytes];
  const quotes = part === undefined ? undefined : new QuoteState(shape);
  const target = await open(path, 'wx', 0o600);
  try {
    for (let start = from; start < to; start += CHUNK_BYTES) {
      const bytes = Buffer.from(await read(file, start, Math.min(to, start + CHUNK_BYTES)));
      quotes?.push(bytes);
      await target.write(bytes, 0, null, start - from);
    }
  } finally {
    await target.close();
  }
  if (quotes?.isQuoted === true && to < file.bytes) {
    fail('BAD_FILE', { name: file.url, reason: `bytes ${from} to ${to} end within a quoted field` });
  }
}
