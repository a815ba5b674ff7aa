import { fail, writeAt } from '@tessera/common';
import { requireComplete } from '@tessera/readers';
import type { CompressedCsv, CopyRange, CsvBytes, FileUnit, ReadRange, ScannedFile } from '../file-scan.ts';
import type { CreateFile } from './part-files.ts';
import { QuoteState } from './quote-state.ts';
import { recordStart } from './record-start.ts';

/**
 * The number of bytes that are examined to find the start of a record; four times as many if these do not
 * suffice.
 */
const LOOK_BYTES = 64 << 10;

/**
 * Units of about `unitBytes` of an uncompressed CSV file, cut at the starts of records. If no start is found,
 * the unit is extended.
 * @param from the start of the first record, after a header
 */
export async function splitCsv(
  file: ScannedFile,
  from: number,
  {
    shape,
    columns,
    unitBytes,
    read,
  }: { shape: CsvBytes; columns: number; unitBytes: number; read: ReadRange },
): Promise<readonly FileUnit[]> {
  const count = Math.max(1, Math.round((file.bytes - from) / unitBytes));
  const step = (file.bytes - from) / count;
  const starts = await Promise.all(
    Array.from({ length: count - 1 }, (_, i) => startNear(file, Math.floor(from + (i + 1) * step))),
  );
  const cuts = [...new Set([from, ...starts.flatMap((start) => start ?? [])])].sort((a, b) => a - b);
  return cuts
    .map((start, i): FileUnit => {
      const end = cuts[i + 1] ?? file.bytes;
      return { file, part: [start, end], bytes: end - start };
    })
    .filter(({ bytes }) => bytes > 0);

  async function startNear(of: ScannedFile, at: number): Promise<number | undefined> {
    for (const bytes of [LOOK_BYTES, 4 * LOOK_BYTES]) {
      const piece = Buffer.from(await read(of, at, Math.min(of.bytes, at + bytes)));
      const start = recordStart(piece, shape, columns);
      if (start !== undefined) return at + start;
    }
    return undefined;
  }
}

/**
 * Writes a unit of a text file to a new file. The unit of a part must end where a record ends. Every part is
 * checked like this, from the known start of the file on, so none of them begins within a quoted field,
 * although their starts were guessed.
 * @throws TesseraError BAD_FILE if the part ends within a quoted field, or the file is compressed and not complete; QUERY_CANCELLED
 */
export async function fetchCsv(
  { file, part }: FileUnit,
  path: string,
  shape: CompressedCsv,
  {
    copy,
    create,
    signal,
  }: { readonly copy: CopyRange; readonly create: CreateFile; readonly signal: AbortSignal },
): Promise<void> {
  const [from, to] = part ?? [0, file.bytes];
  const quotes = part === undefined ? undefined : new QuoteState(shape);
  const target = await create(path);
  try {
    await copy(file, from, to, (bytes, position) => {
      quotes?.push(bytes);
      return writeAt(target, bytes, position - from);
    });
    await target.truncate(to - from);
  } finally {
    await target.close();
  }
  await requireComplete({ path, label: file.url }, shape.compression, signal);
  if (quotes?.isQuoted === true && to < file.bytes) {
    fail('BAD_FILE', { name: file.url, reason: `bytes ${from} to ${to} end within a quoted field` });
  }
}
