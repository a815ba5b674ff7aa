import { open } from 'node:fs/promises';
import { fail } from '@tessera/common';
import type { CsvBytes, FileUnit, ReadRange } from '../file-scan.ts';
import { copyRange } from '../read-ranges.ts';
import { QuoteState } from './quote-state.ts';

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
    await copyRange(file, [from, to], { read, target, at: 0, onChunk: (chunk) => quotes?.push(chunk) });
  } finally {
    await target.close();
  }
  if (quotes?.isQuoted === true && to < file.bytes) {
    fail('BAD_FILE', { name: file.url, reason: `bytes ${from} to ${to} end within a quoted field` });
  }
}
