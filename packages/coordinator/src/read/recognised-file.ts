import { open } from 'node:fs/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { TesseraError } from '@tessera/common';
import { type KernelSession, quoteName, quoteText } from '@tessera/kernel';
import {
  dialectTypeName,
  formatByName,
  INFERRED_ROWS,
  outputType,
  type ReadArguments,
  type ReadFunction,
} from '@tessera/sql';
import { keepCsvFiles } from './csv-failure.ts';
import { csvFile } from './read-file.ts';

/** How a file that FROM names without a function is read, and the notice for the user. */
export interface RecognisedFile {
  readonly args: ReadArguments;
  /** Undefined if the file has the format that its name says, without any options. */
  readonly note: { readonly message: string; readonly resolution: string } | undefined;
}

interface FileOnDisk {
  readonly url: string;
  readonly path: string;
}

/** At least one block of zstd, which cannot be decompressed in part. */
const HEAD_BYTES = 256 << 10;
/** The text by which the format of a compressed file is recognised. */
const TEXT_BYTES = 4_096;
/** The most text from which the dialect of a compressed file is recognised. */
const SAMPLE_BYTES = 4 << 20;
/** The note names the types of at most this many columns. */
const NAMED_COLUMNS = 20;

/**
 * Determines how to read a file. A signature at its beginning decides before the extension of its name, and
 * the extension before the first character of its text; a file that is nothing else is CSV.
 * @param known the format, if it is known
 * @throws TesseraError BAD_FILE if no dialect of CSV fits the lines of the file
 */
export async function recogniseFile(
  file: FileOnDisk,
  session: KernelSession,
  known?: ReadFunction,
): Promise<RecognisedFile> {
  const { url } = file;
  const head = await headOf(file.path);
  const codec = codecOf(head);
  const named = formatByName(url);
  const text = codec === undefined ? head : await decompressedHead(head, codec, TEXT_BYTES);
  const format =
    known ?? signatureOf(head) ?? named ?? (/^\s*[[{]/.test(withoutMark(text)) ? 'read_json' : 'read_csv');
  const compression = codec !== undefined && isText(format) ? { compression: codec } : {};
  if (format === 'read_csv') return sniffedCsv(file, compression, session, commonDelimiter(text));
  const args = { function: format, url, options: compression };
  const message = `${url} is read with ${format.toUpperCase()}`;
  const resolution = 'Call another READ_* function if the file has another format.';
  return { args, note: format === named ? undefined : { message, resolution } };
}

const isText = (format: ReadFunction): boolean =>
  format === 'read_csv' || format === 'read_json' || format === 'read_text';

async function headOf(path: string): Promise<Buffer> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

const SIGNATURES: readonly (readonly [string, ReadFunction])[] = [
  ['PAR1', 'read_parquet'],
  ['Obj\u0001', 'read_avro'],
  ['ARROW1', 'read_arrow'],
  // The continuation mark of the first message of an Arrow stream.
  ['\u00ff\u00ff\u00ff\u00ff', 'read_arrow'],
];

function signatureOf(head: Buffer): ReadFunction | undefined {
  const text = head.toString('latin1');
  return SIGNATURES.find(([signature]) => text.startsWith(signature))?.[1];
}

type Codec = 'gzip' | 'zstd';

function codecOf(head: Buffer): Codec | undefined {
  if (head.length > 2 && head.readUInt16BE(0) === 0x1f8b) return 'gzip';
  if (head.length > 4 && head.readUInt32LE(0) === 0xfd2fb528) return 'zstd';
  return undefined;
}

/** At least this many bytes of the beginning of the text; fewer if the compressed bytes have no more. */
async function decompressedHead(head: Buffer, codec: Codec, bytes: number): Promise<Buffer> {
  const decompressed = codec === 'gzip' ? createGunzip() : createZstdDecompress();
  decompressed.end(head);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of decompressed) {
      chunks.push(chunk);
      if (chunks.reduce((sum, { length }) => sum + length, 0) >= bytes) break;
    }
  } catch {
    // The compressed bytes are the beginning of a file, or they are corrupt, which is reported when the file is read.
  }
  return Buffer.concat(chunks);
}

/** The text at the beginning of a file up to the end of its last whole line, decompressed. */
export async function textSample(head: Uint8Array): Promise<Buffer> {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const codec = codecOf(bytes);
  const text = codec === undefined ? bytes : await decompressedHead(bytes, codec, SAMPLE_BYTES);
  const end = text.lastIndexOf('\n') + 1;
  return end === 0 ? text : text.subarray(0, end);
}

const withoutMark = (text: Buffer): string => text.toString('utf8').replace(/^\ufeff/, '');

/** What the kernel finds in a CSV file; `(empty)` stands for a character that the file does not use. */
interface SniffedCsv {
  readonly Delimiter: string;
  readonly Quote: string;
  readonly Escape: string;
  readonly HasHeader: boolean;
  readonly Columns: readonly { readonly name: string; readonly type: string }[];
}

async function sniffedCsv(
  { url, path }: FileOnDisk,
  compression: ReadArguments['options'],
  session: KernelSession,
  delimiter: string | undefined,
): Promise<RecognisedFile> {
  const found = await sniff({ url, path }, compression, session);
  // If a few lines are broken, every delimiter but those that the file does not contain is refused: one column would fit all lines.
  const sniffed =
    found.Columns.length > 1 || delimiter === undefined
      ? found
      : await sniff({ url, path }, { ...compression, delimiter }, session);
  const character = (name: 'quote' | 'escape', value: string) =>
    value === '(empty)' ? {} : { [name]: value };
  const options: ReadArguments['options'] = {
    ...(sniffed.Delimiter === '(empty)' ? {} : { delimiter: sniffed.Delimiter }),
    ...character('quote', sniffed.Quote),
    ...character('escape', sniffed.Escape),
    header: sniffed.HasHeader,
    infer_schema: true,
    ...compression,
  };
  const call = Object.entries(options).map(([name, value]) => `${name.toUpperCase()} => ${literal(value)}`);
  const columns = await columnsOf(sniffed, session);
  return {
    args: { function: 'read_csv', url, options },
    note: {
      message: `${url} is read as CSV with delimiter ${shown(options.delimiter ?? ',')}, quote ${shown(options.quote ?? '"')}, ${sniffed.HasHeader ? 'a header line' : 'no header line'} and the columns ${columns}`,
      resolution: `To read it in another way, change the arguments of READ_CSV('${url}', ${call.join(', ')}).`,
    },
  };
}

const DELIMITERS = [',', ';', '\t', '|'];

/** The delimiter that splits most of the lines into as many fields as the first one; undefined if that is one field. */
function commonDelimiter(text: Buffer): string | undefined {
  const lines = withoutMark(text)
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) => line.replace(/"(?:[^"]|"")*"/g, ''));
  const delimitersIn = (line: string, delimiter: string) => line.split(delimiter).length - 1;
  return DELIMITERS.find((delimiter) => {
    const count = delimitersIn(lines[0] ?? '', delimiter);
    const alike = lines.filter((line) => delimitersIn(line, delimiter) === count);
    return count > 0 && alike.length * 2 > lines.length;
  });
}

async function sniff(
  { url, path }: FileOnDisk,
  options: ReadArguments['options'],
  session: KernelSession,
): Promise<SniffedCsv> {
  const { compression, delimiter } = options;
  const given = Object.entries({ compression, delim: delimiter }).map(([name, value]) =>
    value === undefined ? '' : `, ${name} => ${quoteText(value)}`,
  );
  const sql = `SELECT to_json(s)::VARCHAR FROM sniff_csv(${quoteText(path)}, sample_size => ${INFERRED_ROWS}, comment => ''${given.join('')}) AS s`;
  try {
    return JSON.parse(String(await session.scalar(sql)));
  } catch (cause) {
    if (!(cause instanceof TesseraError) || !/sniffing file|^CSV Error|^Input is not/i.test(cause.message))
      throw cause;
    const isPacked = cause.message.startsWith('Input is not');
    const reason = isPacked
      ? `bytes follow its ${compression} data`
      : delimiter === undefined
        ? 'no delimiter and quote fit all of its lines'
        : `${shown(delimiter)} splits most of its lines into the same number of fields, but not all of them`;
    const resolution = `Call READ_CSV('${url}', …) with DELIMITER, QUOTE and HEADER as the file has them; NULL_PADDING => TRUE fills short lines with NULL.`;
    const error = TesseraError.of('BAD_FILE', { name: url, reason }, { cause, resolution });
    // The lines need not have the same number of fields with the default delimiter.
    const csv = { ...csvFile({ url, options }), isPadded: delimiter === undefined };
    throw keepCsvFiles(error, [{ label: url, path, csv }]);
  }
}

/** The columns with their types: `id bigint, name text`. A file without a header has the columns f0, f1, …. */
async function columnsOf({ Columns, HasHeader }: SniffedCsv, session: KernelSession): Promise<string> {
  const items = Columns.slice(0, NAMED_COLUMNS).map(
    ({ name, type }, i) => `CAST(NULL AS ${type}) AS ${quoteName(HasHeader ? name : `f${i}`)}`,
  );
  const { columns } = await session.describe(`SELECT ${items.join(', ')}`);
  const named = columns.map(({ name, type }) => `${name} ${dialectTypeName(outputType(type).type)}`);
  const more = Columns.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
}

const literal = (value: string | boolean): string =>
  typeof value === 'boolean' ? String(value).toUpperCase() : value === '\t' ? "E'\\t'" : quoteText(value);

const shown = (character: string): string => (character === '\t' ? 'tab' : quoteText(character));
