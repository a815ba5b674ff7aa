import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ParquetReader } from '../testing/parquet-reader.ts';
import type { Column, ColumnType } from './column.ts';
import { ParquetFile } from './parquet-file.ts';
import { type ColumnSchema, encodeRowGroup } from './row-group.ts';
import { TextBuilder } from './text-builder.ts';

const directory = mkdtempSync(join(tmpdir(), 'tessera-parquet-'));
const reader = await ParquetReader.open();
afterAll(async () => {
  await reader[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

let files = 0;
/** Writes row groups of one column. */
async function write(type: ColumnType, ...groups: readonly Column[]): Promise<string> {
  const path = join(directory, `${files++}.parquet`);
  const schema = [{ name: 'c', type }];
  const file = await ParquetFile.create(path, schema);
  for (const column of groups) await file.write(encodeRowGroup(schema, [column]));
  await file.close();
  return path;
}

const values = async (path: string): Promise<(string | null)[]> =>
  (await reader.rows(`SELECT c FROM '${path}'`)).map(([value]) => value!);

/** `[encodings, least, greatest]` of each row group. */
const chunks = (path: string): Promise<(string | null)[][]> =>
  reader.rows(
    `SELECT encodings, stats_min_value, stats_max_value FROM parquet_metadata('${path}') ORDER BY row_group_id`,
  );

it('writes numbers beyond 32 bits and below zero', async () => {
  const numbers = [0, -1, 2 ** 31, -(2 ** 31) - 1, 2 ** 40 + 3, -(2 ** 40) - 3, 2 ** 52, -(2 ** 52)];
  const path = await write('bigint', { type: 'bigint', values: Float64Array.from(numbers) });
  expect(await values(path)).toEqual(numbers.map(String));
  expect(await chunks(path)).toEqual([['PLAIN', String(-(2 ** 52)), String(2 ** 52)]]);
});

it('writes hundredths as decimals and days as dates', async () => {
  const money = await write('decimal', { type: 'decimal', values: Int32Array.from([-99_999, -1, 0, 105]) });
  expect(await values(money)).toEqual(['-999.99', '-0.01', '0.00', '1.05']);
  const days = await write('date', { type: 'date', values: Int32Array.from([-1, 0, 9298]) });
  expect(await values(days)).toEqual(['1969-12-31', '1970-01-01', '1995-06-17']);
});

it.each([1, 2, 3, 7, 200, 257])('has a dictionary of %i numbers where they repeat', async (distinct) => {
  const numbers = Int32Array.from({ length: 40 * distinct + 5 }, (_, i) => 3 * ((i * 7) % distinct) - 40);
  const path = await write('integer', { type: 'integer', values: numbers });
  expect(await values(path)).toEqual([...numbers].map(String));
  expect((await chunks(path))[0]![0]).toContain('DICTIONARY');
});

it('writes words and texts, row group by row group', async () => {
  const words = ['pear', 'apple', 'plum'];
  const path = await write(
    'text',
    { type: 'words', words, places: Uint8Array.from([1, 0, 0]) },
    { type: 'words', words, places: Uint8Array.from([2]) },
    plainTexts('', 'a', 'much longer than eight bytes'),
  );
  expect(await values(path)).toEqual([
    'apple',
    'pear',
    'pear',
    'plum',
    '',
    'a',
    'much longer than eight bytes',
  ]);
  expect((await chunks(path)).map(([, ...range]) => range)).toEqual([
    ['apple', 'pear'],
    ['plum', 'plum'],
    [null, null],
  ]);
  expect(await reader.rows(`SELECT count(*) FROM '${path}' WHERE c = 'plum'`)).toEqual([['1']]);
});

it('builds texts out of pieces and numbers', async () => {
  const builder = new TextBuilder(1);
  for (const number of [7, 123_456, 12_345_678_901]) {
    builder.begin(40);
    builder.put(Buffer.from('#'));
    builder.putNumber(number, 4);
    builder.finish();
  }
  const letters = new DataView(
    new Uint8Array(Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz'.padEnd(64))).buffer,
  );
  for (const [from, length] of [
    [3, 0],
    [3, 5],
    [0, 8],
    [9, 17],
  ] as const) {
    builder.begin(length);
    builder.copy(letters, from, length);
    builder.finish();
  }
  expect(await values(await write('text', builder.column()))).toEqual([
    '#0007',
    '#123456',
    '#12345678901',
    '',
    '34567',
    '01234567',
    '9abcdefghijklmnop',
  ]);
});

function plainTexts(...all: readonly string[]): Column {
  const builder = new TextBuilder(0);
  for (const text of all) {
    builder.begin(text.length);
    builder.put(Buffer.from(text));
    builder.finish();
  }
  return builder.column();
}

it.each<[ColumnType, Column, (string | null)[]]>([
  ['smallint', { type: 'smallint', values: Int32Array.from([-32_768, 32_767]) }, ['-32768', '32767']],
  ['decimal(7)', { type: 'decimal(7)', values: Int32Array.from([-9_999_999, 5]) }, ['-99999.99', '0.05']],
  ['decimal(5)', { type: 'decimal(5)', values: Int32Array.from([-500]) }, ['-5.00']],
  [
    'timestamp',
    { type: 'timestamp', values: Float64Array.from([1_373_846_400_000_001, -1]) },
    ['2013-07-15 00:00:00.000001', '1969-12-31 23:59:59.999999'],
  ],
  [
    'bigint',
    { type: 'large', values: BigInt64Array.from([2n ** 63n - 1n, -(2n ** 63n)]) },
    ['9223372036854775807', '-9223372036854775808'],
  ],
])('writes %s', async (type, column, expected) => {
  const path = await write(type, column);
  expect(await values(path)).toEqual(expected);
});

it('writes NULL among numbers, numbers of a dictionary, words and texts, and nothing but NULL', async () => {
  const path = join(directory, 'nulls.parquet');
  const present = Uint8Array.from({ length: 30 }, (_, row) => (row % 3 === 1 ? 0 : 1));
  const there = [...present.keys()].filter((row) => present[row] === 1);
  const texts = there.map((row) => `text ${row}`);
  const columns: readonly (readonly [ColumnType, Column, (row: number) => string])[] = [
    ['bigint', { type: 'bigint', values: Float64Array.from(there) }, (row) => String(row)],
    [
      'integer',
      { type: 'integer', values: Int32Array.from(there, (row) => row % 4) },
      (row) => String(row % 4),
    ],
    [
      'text',
      { type: 'words', words: ['a', 'b'], places: Uint8Array.from(there, (row) => row % 2) },
      (row) => 'ab'[row % 2]!,
    ],
    ['text', plainTexts(...texts), (row) => `text ${row}`],
  ];
  const nothing: Column = { type: 'integer', values: new Int32Array(0), present: new Uint8Array(30) };
  const schema = columns.map(([type], i) => ({ name: `c${i}`, type, nullable: true }));
  const all: ColumnSchema[] = [...schema, { name: 'none', type: 'integer', nullable: true }];
  const file = await ParquetFile.create(path, all);
  await file.write(encodeRowGroup(all, [...columns.map(([, column]) => ({ ...column, present })), nothing]));
  await file.close();
  const expected = Array.from(present, (there, row) => [
    ...columns.map(([, , valueAt]) => (there === 1 ? valueAt(row) : null)),
    null,
  ]);
  expect(await reader.rows(`FROM '${path}'`)).toEqual(expected);
  expect(
    await reader.rows(
      `SELECT DISTINCT stats_null_count FROM parquet_metadata('${path}') WHERE path_in_schema <> 'none' AND stats_null_count IS NOT NULL`,
    ),
  ).toEqual([['10']]);
});
