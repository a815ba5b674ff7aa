import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { TesseraError } from '@tessera/common';
import {
  call,
  constant,
  type FunctionNode,
  NO_LOCATION,
  type QueryNode,
  type SubqueryRef,
  selectAll,
  type TableFunctionRef,
  type TableRef,
  unionAll,
} from '../tree.ts';
import type { ReadArguments } from './read-arguments.ts';
import { compressionOf } from './scan-arguments.ts';

/** The largest file to split whole; the time for that grows with the square of the number of lines. */
const MAX_SPLIT_BYTES = 4 * 1024 * 1024;

/**
 * The kernel's scan of text files as lines, with the columns line, file and line_number. `file` is the URL,
 * or the path of each file if the URL matches several.
 * @throws TesseraError BAD_FILE for a large file that contains a CR without LF
 */
export async function textScan(
  ref: TableFunctionRef,
  alias: string,
  args: ReadArguments,
  paths: readonly string[],
): Promise<TableRef> {
  const codec = compressionOf(args) ?? 'none';
  const scans: FunctionNode[] = [];
  for (const path of paths) {
    const label = paths.length === 1 ? args.url : path;
    scans.push(await lineScan(path, label, codec));
  }
  const [only, more] = scans;
  if (only !== undefined && more === undefined) return { ...ref, alias, function: only };
  const node = scans
    .map((scan): QueryNode => selectAll(tableFunction(scan)))
    .reduce((left, right) => unionAll(left, right));
  return subquery(ref, alias, node);
}

async function lineScan(path: string, label: string, codec: string): Promise<FunctionNode> {
  const at = await loneCarriageReturn(path, codec);
  if (at === undefined) return call('tsr_read_text', constant(path), constant(label), constant(codec));
  const { size } = await stat(path);
  if (codec === 'none' && size <= MAX_SPLIT_BYTES) {
    if (!/\/content=/i.test(path)) return call('tsr_split_text', constant(path), constant(label));
    return call('tsr_split_base64', constant(await readFile(path, 'base64')), constant(label));
  }
  throw TesseraError.of('BAD_FILE', {
    name: label,
    reason: `a carriage return without a line feed is at byte ${at}, which READ_TEXT accepts only in uncompressed files of up to ${MAX_SPLIT_BYTES} bytes`,
  });
}

const CR = 13;
const LF = 10;

/**
 * The offset of the first CR without LF in the decompressed file. A file that cannot be decompressed is left
 * for the kernel to report.
 */
async function loneCarriageReturn(path: string, codec: string): Promise<number | undefined> {
  let offset = 0;
  let pending = false;
  let found: number | undefined;
  const search = async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      if (pending && chunk[0] !== LF) found = offset - 1;
      for (let i = chunk.indexOf(CR); i >= 0 && found === undefined; i = chunk.indexOf(CR, i + 1)) {
        if (i + 1 < chunk.length && chunk[i + 1] !== LF) found = offset + i;
      }
      if (found !== undefined) return;
      pending = chunk[chunk.length - 1] === CR;
      offset += chunk.length;
    }
  };
  const file = createReadStream(path, { highWaterMark: 1 << 20 });
  try {
    if (codec === 'gzip') await pipeline(file, createGunzip(), search);
    else if (codec === 'zstd') await pipeline(file, createZstdDecompress(), search);
    else await pipeline(file, search);
  } catch (error) {
    if (found === undefined && isIoError(error)) throw error;
  }
  return found;
}

/** Whether the error is a failed system call and not a codec's complaint about the data. */
const isIoError = (error: unknown): boolean => (error as { syscall?: unknown }).syscall !== undefined;

const tableFunction = (scan: FunctionNode): TableFunctionRef => ({
  type: 'TABLE_FUNCTION',
  alias: '',
  sample: null,
  query_location: NO_LOCATION,
  function: scan,
  column_name_alias: [],
  with_ordinality: 'WITHOUT_ORDINALITY',
});

const subquery = (ref: TableFunctionRef, alias: string, node: QueryNode): SubqueryRef => ({
  type: 'SUBQUERY',
  alias,
  sample: ref.sample,
  query_location: ref.query_location,
  subquery: { node, named_param_map: [] },
  column_name_alias: ref.column_name_alias,
});
