import { zstdCompressSync } from 'node:zlib';
import type { Column } from './column.ts';
import { packPlaces, summarize } from './dictionary.ts';
import { plainNumbers, plainTexts } from './plain.ts';
import { i32, struct, thriftBytes } from './thrift.ts';

/** A column of a row group as it is in the file: one data page, a dictionary page before it where there is one. */
export interface ColumnChunk {
  /** The pages with their headers. */
  readonly bytes: readonly Uint8Array<ArrayBuffer>[];
  readonly compressedSize: number;
  readonly uncompressedSize: number;
  /** Where the data page begins: 0 without a dictionary. */
  readonly dataOffset: number;
  readonly rows: number;
  readonly nulls: number;
  /** The least and the greatest value; none of texts that are all different. */
  readonly range: readonly [Uint8Array, Uint8Array] | undefined;
}

export const ENCODING = { plain: 0, rle: 3, dictionary: 8 } as const;
const encoder = new TextEncoder();
const PAGE = { data: 0, dictionary: 2 } as const;

export function encodeColumn(column: Column): ColumnChunk {
  const pages = pagesOf(column);
  const rows = column.present?.length ?? pages.values;
  return chunkOf(rows, rows - pages.values, pages.range, [
    ...(pages.dictionary === undefined
      ? []
      : [dictionaryPage(pages.dictionary.values, pages.dictionary.bytes)]),
    dataPage(
      rows,
      column.present === undefined ? pages.data : withLevels(column.present, pages.data),
      pages.dictionary === undefined ? ENCODING.plain : ENCODING.dictionary,
    ),
  ]);
}

/** What is in the pages of a column's values, NULL left out. */
interface ValuePages {
  readonly values: number;
  readonly range?: ColumnChunk['range'];
  readonly dictionary?: { readonly values: number; readonly bytes: Uint8Array };
  readonly data: Uint8Array;
}

function pagesOf(column: Column): ValuePages {
  if (column.type === 'text') return { values: column.rows, data: column.bytes };
  if (column.type === 'large')
    return { values: column.values.length, data: new Uint8Array(column.values.buffer) };
  if (column.type === 'words') {
    const { words, places } = column;
    const used = [...new Set(places)].map((place) => words[place]!).sort();
    return {
      values: places.length,
      range: used.length === 0 ? undefined : [encoder.encode(used[0]), encoder.encode(used.at(-1))],
      dictionary: { values: words.length, bytes: plainTexts(words) },
      data: packPlaces(places, words.length),
    };
  }
  const { type, values } = column;
  if (values.length === 0) return { values: 0, data: new Uint8Array() };
  const width = IN_8_BYTES.has(type) ? 8 : 4;
  const { least, greatest, dictionary } = summarize(values);
  const range = [plainNumbers([least], width), plainNumbers([greatest], width)] as const;
  if (dictionary === undefined) return { values: values.length, range, data: plainNumbers(values, width) };
  const { numbers, places } = dictionary;
  return {
    values: values.length,
    range,
    dictionary: { values: numbers.length, bytes: plainNumbers(numbers, width) },
    data: packPlaces(places, numbers.length),
  };
}

const IN_8_BYTES: ReadonlySet<string> = new Set(['bigint', 'decimal', 'timestamp']);

/** The definition levels, with their length before them, in front of the values. */
function withLevels(present: Uint8Array, values: Uint8Array): Uint8Array {
  // Places in a dictionary of two, without their width.
  const levels = packPlaces(present, 2).subarray(1);
  const bytes = new Uint8Array(4 + levels.length + values.length);
  new DataView(bytes.buffer).setUint32(0, levels.length, true);
  bytes.set(levels, 4);
  bytes.set(values, 4 + levels.length);
  return bytes;
}

interface Page {
  readonly header: Uint8Array<ArrayBuffer>;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly uncompressedSize: number;
}

function chunkOf(
  rows: number,
  nulls: number,
  range: ColumnChunk['range'],
  pages: readonly Page[],
): ColumnChunk {
  const size = ({ header, body }: Page): number => header.length + body.length;
  return {
    bytes: pages.flatMap(({ header, body }) => [header, body]),
    compressedSize: pages.reduce((sum, page) => sum + size(page), 0),
    uncompressedSize: pages.reduce((sum, page) => sum + page.header.length + page.uncompressedSize, 0),
    dataOffset: pages.length === 2 ? size(pages[0]!) : 0,
    rows,
    nulls,
    range,
  };
}

function dictionaryPage(values: number, bytes: Uint8Array): Page {
  return page(bytes, (sizes) => ({
    1: i32(PAGE.dictionary),
    ...sizes,
    7: struct({ 1: i32(values), 2: i32(ENCODING.plain) }),
  }));
}

function dataPage(values: number, bytes: Uint8Array, encoding: number): Page {
  return page(bytes, (sizes) => ({
    1: i32(PAGE.data),
    ...sizes,
    5: struct({ 1: i32(values), 2: i32(encoding), 3: i32(ENCODING.rle), 4: i32(ENCODING.rle) }),
  }));
}

type Sizes = Parameters<typeof struct>[0];

function page(bytes: Uint8Array, header: (sizes: Sizes) => Sizes): Page {
  // A chunk that takes all of the output: zlib's own, of 16 KB, take half as long again.
  const body = new Uint8Array(zstdCompressSync(bytes, { chunkSize: bytes.length + 1024 }));
  const sizes = { 2: i32(bytes.length), 3: i32(body.length) };
  return { header: thriftBytes(struct(header(sizes))), body, uncompressedSize: bytes.length };
}
