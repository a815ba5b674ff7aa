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
  /** The least and the greatest value; none of texts that are all different. */
  readonly range: readonly [Uint8Array, Uint8Array] | undefined;
}

export const ENCODING = { plain: 0, rle: 3, dictionary: 8 } as const;
const encoder = new TextEncoder();
const PAGE = { data: 0, dictionary: 2 } as const;

export function encodeColumn(column: Column): ColumnChunk {
  if (column.type === 'text') return chunkOf(column.rows, undefined, [dataPage(column.rows, column.bytes)]);
  if (column.type === 'words') {
    const { words, places } = column;
    const used = [...new Set(places)].map((place) => words[place]!).sort();
    return chunkOf(
      places.length,
      [encoder.encode(used[0]), encoder.encode(used.at(-1))],
      [
        dictionaryPage(words.length, plainTexts(words)),
        dataPage(places.length, packPlaces(places, words.length), ENCODING.dictionary),
      ],
    );
  }
  const { type, values } = column;
  const width = type === 'integer' || type === 'date' ? 4 : 8;
  const { least, greatest, dictionary } = summarize(values);
  const range = [plainNumbers([least], width), plainNumbers([greatest], width)] as const;
  if (dictionary === undefined)
    return chunkOf(values.length, range, [dataPage(values.length, plainNumbers(values, width))]);
  const { numbers, places } = dictionary;
  return chunkOf(values.length, range, [
    dictionaryPage(numbers.length, plainNumbers(numbers, width)),
    dataPage(values.length, packPlaces(places, numbers.length), ENCODING.dictionary),
  ]);
}

interface Page {
  readonly header: Uint8Array<ArrayBuffer>;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly uncompressedSize: number;
}

function chunkOf(rows: number, range: ColumnChunk['range'], pages: readonly Page[]): ColumnChunk {
  const size = ({ header, body }: Page): number => header.length + body.length;
  return {
    bytes: pages.flatMap(({ header, body }) => [header, body]),
    compressedSize: pages.reduce((sum, page) => sum + size(page), 0),
    uncompressedSize: pages.reduce((sum, page) => sum + page.header.length + page.uncompressedSize, 0),
    dataOffset: pages.length === 2 ? size(pages[0]!) : 0,
    rows,
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

function dataPage(values: number, bytes: Uint8Array, encoding: number = ENCODING.plain): Page {
  return page(bytes, (sizes) => ({
    1: i32(PAGE.data),
    ...sizes,
    5: struct({ 1: i32(values), 2: i32(encoding), 3: i32(ENCODING.rle), 4: i32(ENCODING.rle) }),
  }));
}

type Sizes = Parameters<typeof struct>[0];

function page(bytes: Uint8Array, header: (sizes: Sizes) => Sizes): Page {
  const body = new Uint8Array(zstdCompressSync(bytes));
  const sizes = { 2: i32(bytes.length), 3: i32(body.length) };
  return { header: thriftBytes(struct(header(sizes))), body, uncompressedSize: bytes.length };
}
