import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import type { Tablet } from '@tessera/catalog';
import { quoteText } from '@tessera/kernel';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, describe, expect, it } from 'vitest';
import { FooterDocument } from '../body/parquet-footer.ts';
import { chunksOf, damagedChunk } from '../read/plan-ranges.ts';
import { readHeader } from '../read/read-header.ts';
import { readBack, tableOf, testTablets } from '../testing/test-tablets.ts';
import type { RowValue } from './row-body.ts';
import { rowTablet } from './row-tablet.ts';
import type { WrittenTablet } from './write-options.ts';

const tablets = await testTablets();
afterAll(() => tablets[Symbol.asyncDispose]());

const headerOf = ({ path, tablet }: WrittenTablet) =>
  readHeader(readFileSync(path).subarray(tablet.headerOffset), tablet);
const rowsIn = (written: readonly WrittenTablet[]) =>
  written.map(({ tablet }) => tablet.rows).reduce((sum, rows) => sum + rows, 0);
/** Incompressible texts, so that few rows make large tablets. */
const NOISE = 'md5(i::VARCHAR) || md5((i + 1)::VARCHAR)';

describe('writing tablets', () => {
  const table = tableOf(
    [
      ['a', 'BIGINT'],
      ['b', 'VARCHAR'],
      ['c', 'INTEGER[]'],
    ],
    ['a', 'b'],
  );
  const sql = `SELECT (i * 7919) % 1000 AS a, ${NOISE} AS b, [i, NULL] AS c FROM range(60000) r(i)`;

  it('sorts rows by the primary index, divides them by size and loses none', async () => {
    const written = await tablets.write(table, sql, { maxBytes: 1e6 });
    expect(written.length).toBeGreaterThan(2);
    expect(rowsIn(written)).toBe(60_000);
    for (const { tablet, path } of written) {
      expect(tablet.bytes).toBe(readFileSync(path).length);
      expect(tablet.bytes).toBeLessThan(1.1e6);
      expect(tablet.bytes).toBeGreaterThan(4e5);
    }
    const inOrder = [...written].sort((x, y) => Number(first(x.tablet)) - Number(first(y.tablet)));
    const fingerprint = (rows: string) =>
      tablets.rows(`SELECT sum(hash(n, a, b, c)) FROM (SELECT *, row_number() OVER () AS n FROM (${rows}))`);
    const source = await fingerprint(`SELECT * FROM (${sql}) ORDER BY a, b`);
    expect(await fingerprint(readBack(table, inOrder))).toEqual(source);
  });

  it('stores values with the types of the columns, whatever types the query has', async () => {
    const prices = tableOf([
      ['price', 'DECIMAL(4,2)'],
      ['big', 'BIGINT'],
      ['f', 'FLOAT'],
    ]);
    const untyped = await tablets.write(prices, 'SELECT NULL AS price, 7 AS big, 1 AS f');
    const typed = await tablets.write(
      prices,
      'SELECT 1.56::DECIMAL(4,2) AS price, 1::BIGINT << 40 AS big, 1.5::FLOAT AS f',
    );
    expect(await tablets.rows(readBack(prices, [...untyped, ...typed]))).toEqual([
      [null, '7', '1.0'],
      ['1.56', String(2 ** 40), '1.5'],
    ]);
  });

  it('stores -0 as 0, because the kernel does not tell them apart in a dictionary', async () => {
    const numbers = tableOf([
      ['d', 'DOUBLE'],
      ['f', 'FLOAT'],
    ]);
    const zeros =
      "SELECT CASE i % 3 WHEN 0 THEN '-0' WHEN 1 THEN '0' ELSE '-inf' END AS v FROM range(9) r(i)";
    const written = await tablets.write(numbers, `SELECT v::DOUBLE AS d, v::FLOAT AS f FROM (${zeros})`);
    const texts = `SELECT DISTINCT d::VARCHAR AS d, f::VARCHAR AS f FROM (${readBack(numbers, written)}) ORDER BY d`;
    expect(await tablets.rows(texts)).toEqual([
      ['-inf', '-inf'],
      ['0.0', '0.0'],
    ]);
  });

  const first = (tablet: Tablet) => tablet.statistics[0]!.min;

  it('records the position and the checksum of every chunk in the header', async () => {
    for (const written of await tablets.write(table, sql, { maxBytes: 1e6 })) {
      const header = await headerOf(written);
      const file = readFileSync(written.path);
      expect(header.rows).toBe(written.tablet.rows);
      expect(header.granuleRows).toHaveLength(written.tablet.granules);
      expect(header.granuleRows.slice(0, -1).every((rows) => rows === 2048)).toBe(true);
      const chunks = chunksOf(header, [1, 2, 3]);
      let end = 4;
      for (const chunk of chunks) {
        expect(chunk.offset).toBe(end);
        end += chunk.bytes;
        const bytes = file.subarray(chunk.offset, end);
        expect(damagedChunk({ ...chunk, chunks: [chunk] }, bytes)).toBeUndefined();
      }
      expect(end).toBe(written.tablet.headerOffset);
      expect(crc32c(file.subarray(end))).toBe(written.tablet.tailCrc32c);
    }
  });

  it('indexes the first key of each granule', async () => {
    for (const written of await tablets.write(table, sql, { maxBytes: 1e6 })) {
      const { primaryIndex, granuleRows } = await headerOf(written);
      expect(primaryIndex.columns).toEqual([1, 2]);
      const starts = granuleRows.map((_, i) => i * 2048);
      const keys = await tablets.rows(
        `SELECT a, b FROM read_parquet(${quoteText(written.path)}, file_row_number = true) WHERE file_row_number IN (${starts}) ORDER BY file_row_number`,
      );
      expect(
        primaryIndex.keys.map((key) => key.map((value) => (value.kind === 'null' ? null : value.text))),
      ).toEqual(keys);
    }
  });

  it('writes Parquet for readers that know nothing about tablets', async () => {
    for (const written of await tablets.write(table, sql, { maxBytes: 1e6 })) {
      const file = readFileSync(written.path);
      const buffer = file.buffer.slice(file.byteOffset, file.byteOffset + file.length) as ArrayBuffer;
      expect(Number(parquetMetadata(buffer).num_rows)).toBe(written.tablet.rows);
      const objects = await parquetReadObjects({ file: buffer, compressors, rowStart: 0, rowEnd: 50 });
      const own = await tablets.rows(
        `SELECT a, b, c[1] FROM read_parquet(${quoteText(written.path)}) LIMIT 50`,
      );
      expect(objects.map((row) => [String(row['a']), row['b'], String(row['c'][0])])).toEqual(own);
    }
  });

  it('writes Parquet in every format and layout', async () => {
    const header = { compression: 'zstd', compressionLevel: 3 } as const;
    const layouts: string[] = [];
    for (const formatVersion of [1, 2, 3] as const) {
      for (const [rows, minBytesForWide] of [
        [10, 1e6],
        [10_000, 1e9],
        [10_000, 1e5],
      ] as const) {
        const [written] = await tablets.write(table, `SELECT * FROM (${sql}) LIMIT ${rows}`, {
          header: { ...header, formatVersion, minBytesForWide },
        });
        const read = await headerOf(written!);
        expect(read.formatVersion).toBe(formatVersion);
        expect(read.layout).toBe(written!.tablet.layout);
        layouts.push(read.layout);
        expect(await tablets.rows(`SELECT count(*) FROM (${readBack(table, [written!])})`)).toEqual([
          [String(rows)],
        ]);
        const inline = written!.tablet.inline;
        expect(inline === undefined).toBe(read.layout !== 'subcompact');
        if (inline !== undefined)
          expect(Buffer.from(inline, 'base64').equals(readFileSync(written!.path))).toBe(true);
      }
    }
    expect(layouts).toEqual([
      ...['wide', 'wide', 'wide', 'wide', 'wide', 'wide'],
      ...['subcompact', 'compact', 'wide'],
    ]);
  });

  it('writes no tablet for a query without rows', async () => {
    expect(await tablets.write(table, `SELECT * FROM (${sql}) WHERE false`)).toEqual([]);
    const partitioned = { partitionSql: ['a'] };
    expect(await tablets.write(table, `SELECT * FROM (${sql}) WHERE false`, partitioned)).toEqual([]);
  });

  it('declares the parameter types of the kernel statement', async () => {
    const [written] = await tablets.write(table, `SELECT $1::BIGINT AS a, $2 AS b, [1] AS c`, {
      params: [5, 'five'],
    });
    expect(await tablets.rows(readBack(table, [written!]))).toEqual([['5', 'five', '[1]']]);
  });

  it('stops when it is cancelled, and the session remains usable', async () => {
    const controller = new AbortController();
    const endless = tablets.write(
      table,
      `SELECT i AS a, ${NOISE} AS b, [1] AS c FROM range(1000000000) r(i)`,
      {
        signal: controller.signal,
      },
    );
    setImmediate(() => controller.abort());
    await expect(endless).rejects.toThrow();
    expect(await tablets.rows('SELECT 1')).toEqual([['1']]);
    const aborted = tablets.write(table, sql, { signal: AbortSignal.abort(new Error('too late')) });
    await expect(aborted).rejects.toThrow('too late');
  });

  it('keeps the order without a primary index', async () => {
    const unsorted = { ...table, primaryIndex: [] };
    const [written] = await tablets.write(unsorted, `SELECT * FROM (${sql}) LIMIT 3000`);
    expect((await headerOf(written!)).primaryIndex).toEqual({ columns: [], keys: [] });
    expect(await tablets.rows(`SELECT a FROM (${readBack(unsorted, [written!])}) LIMIT 5`)).toEqual(
      await tablets.rows(`SELECT a FROM (${sql}) LIMIT 5`),
    );
  });
});

describe('partitions', () => {
  const table = tableOf(
    [
      ['day', 'DATE'],
      ['moment', 'TIMESTAMPTZ'],
      ['n', 'BIGINT'],
    ],
    ['n'],
    { partitionBy: ['month', 'moment'] },
  );
  const sql =
    "SELECT DATE '2024-01-01' + (i % 400)::INTEGER AS day, CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN 'infinity'::TIMESTAMPTZ " +
    "ELSE TIMESTAMPTZ '2024-05-01 00:00:00+02' END AS moment, 20000 - i AS n FROM range(20000) r(i)";

  it('writes one value per tablet, NULL too, with sorted rows', async () => {
    const written = await tablets.write(table, sql, {
      partitionSql: ["date_trunc('month', day)::DATE", 'moment'],
    });
    expect(rowsIn(written)).toBe(20_000);
    expect(written).toHaveLength(42);
    const values = new Set(written.map(({ tablet }) => tablet.partition.join()));
    expect(values.size).toBe(42);
    expect(values).toContain('2024-02-01,2024-04-30 22:00:00+00');
    expect(values).toContain('2024-02-01,infinity');
    expect(written.filter(({ tablet }) => tablet.partition[1] === null)).toHaveLength(14);
    for (const one of written) {
      expect((await headerOf(one)).partition).toEqual(one.tablet.partition);
      const found = await tablets.rows(
        `SELECT DISTINCT date_trunc('month', day)::DATE, moment IS NULL FROM (${readBack(table, [one])})`,
      );
      expect(found).toEqual([[one.tablet.partition[0], String(one.tablet.partition[1] === null)]]);
      const unsorted = `SELECT n < lag(n) OVER () AS wrong FROM (${readBack(table, [one])})`;
      expect(await tablets.rows(`SELECT count(*) FROM (${unsorted}) WHERE wrong`)).toEqual([['0']]);
    }
    expect(
      await tablets.rows("SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'tablet_stage%'"),
    ).toEqual([['0']]);
  });

  it('supports a thousand partitions', async () => {
    const wide = tableOf([['n', 'BIGINT']], ['n'], { partitionBy: ['p'] });
    const written = await tablets.write(wide, 'SELECT i AS n FROM range(20000) r(i)', {
      partitionSql: ['n % 1000'],
    });
    expect(written).toHaveLength(1000);
    expect(rowsIn(written)).toBe(20_000);
    expect(new Set(written.map(({ tablet }) => tablet.partition[0])).size).toBe(1000);
  });

  it('divides a large partition', async () => {
    const large = tableOf(
      [
        ['n', 'BIGINT'],
        ['t', 'VARCHAR'],
      ],
      ['n'],
      { partitionBy: ['p'] },
    );
    const written = await tablets.write(large, `SELECT i AS n, ${NOISE} AS t FROM range(40000) r(i)`, {
      partitionSql: ['n < 1000'],
      maxBytes: 3e5,
    });
    expect(written.filter(({ tablet }) => tablet.partition[0] === 'true')).toHaveLength(1);
    expect(written.filter(({ tablet }) => tablet.partition[0] === 'false').length).toBeGreaterThan(1);
    expect(rowsIn(written)).toBe(40_000);
  });
});

it('leaves only tablet files behind', async () => {
  const table = tableOf(
    [
      ['n', 'BIGINT'],
      ['t', 'VARCHAR'],
    ],
    ['n'],
  );
  const written = await tablets.write(table, `SELECT i AS n, ${NOISE} AS t FROM range(40000) r(i)`, {
    maxBytes: 1e6,
  });
  const directory = written[0]!.path.replace(/[^/]+$/, '');
  expect(readdirSync(directory)).toHaveLength(written.length);
  expect(written.every(({ path }) => existsSync(path))).toBe(true);
});

describe('a row without the kernel', () => {
  const header = {
    formatVersion: 3,
    compression: 'brotli',
    compressionLevel: 2,
    minBytesForWide: 1e5,
  } as const;
  /** A type with values: what the row stores, and the same as SQL of the kernel. */
  const TYPES: readonly (readonly [type: string, ...values: (readonly [RowValue, string])[]])[] = [
    ['BOOLEAN', [true, 'true'], [false, 'false']],
    ['INTEGER', [-2_147_483_648, '-2147483648'], [7, '7']],
    ['BIGINT', [-(2n ** 63n), '-9223372036854775808'], [2n ** 63n - 1n, '9223372036854775807']],
    ['FLOAT', [Math.fround(0.1), '0.1'], [-3.5, '-3.5'], [-0, "'-0'"]],
    ['DOUBLE', [0.1, '0.1'], [0, '0'], [-1e300, '-1e300'], [-0, "'-0'"]],
    ['VARCHAR', ['', "''"], ['zażółć 🎉', "'zażółć 🎉'"], ['ab'.repeat(2_000), "repeat('ab', 2000)"]],
    ['DATE', [19_782, "'2024-02-29'"], [-1, "'1969-12-31'"]],
    [
      'TIMESTAMP',
      [1_709_201_472_123_456n, "'2024-02-29 10:11:12.123456'"],
      [-1n, "'1969-12-31 23:59:59.999999'"],
    ],
    ['TIMESTAMP WITH TIME ZONE', [1_709_201_472_000_000n, "'2024-02-29 12:11:12+02'"]],
    ['DECIMAL(4,1)', [-9_999n, '-999.9'], [0n, '0']],
    ['DECIMAL(9,0)', [123_456_789n, '123456789']],
    ['DECIMAL(18,3)', [-1n, '-0.001']],
    ['DECIMAL(38,9)', [-(10n ** 37n), `-1${'0'.repeat(28)}`], [5n, '0.000000005']],
  ];

  const columns = (content: Buffer) => {
    const footer = content.readUInt32LE(content.length - 8);
    return FooterDocument.decode(content.subarray(content.length - 8 - footer, -8)).columns();
  };

  it('equals what the kernel would have written, for each type, also as a key and with NULL', async () => {
    const columnsOf = TYPES.map(([type], i) => [`c ${i}`, type] as const);
    const most = Math.max(...TYPES.map(([, ...values]) => values.length));
    for (let row = 0; row <= most; row++) {
      const cells = TYPES.map(([, ...values]) =>
        row === most ? ([null, 'NULL'] as const) : values[row % values.length]!,
      );
      const table = tableOf(
        columnsOf,
        columnsOf.map(([name]) => name),
      );
      const items = cells.map(([, sql], i) => `CAST(${sql} AS ${columnsOf[i]![1]}) AS "${columnsOf[i]![0]}"`);
      const [expected] = await tablets.write(table, `SELECT ${items.join(', ')}`, { header });
      const tablet = await rowTablet(
        table,
        cells.map(([value]) => value),
        header,
      );
      const content = Buffer.from(tablet!.inline!, 'base64');
      const path = join(tablets.directory, `row-${row}.parquet`);
      writeFileSync(path, content);
      expect(content.length).toBe(tablet!.bytes);
      expect(columns(content)).toEqual(columns(readFileSync(expected!.path)));
      const written = { path, tablet: tablet! };
      expect(await tablets.rows(readBack(table, [written]))).toEqual(
        await tablets.rows(readBack(table, [expected!])),
      );
      const [ours, theirs] = [await headerOf(written), await headerOf(expected!)];
      expect(ours.primaryIndex).toEqual(theirs.primaryIndex);
      expect(tablet!.statistics).toEqual(expected!.tablet.statistics);
      for (const chunk of chunksOf(
        ours,
        ours.columns.map(({ id }) => id),
      )) {
        const bytes = content.subarray(chunk.offset, chunk.offset + chunk.bytes);
        expect(damagedChunk({ ...chunk, chunks: [chunk] }, bytes)).toBeUndefined();
      }
      const buffer = content.buffer.slice(
        content.byteOffset,
        content.byteOffset + content.length,
      ) as ArrayBuffer;
      expect(await parquetReadObjects({ file: buffer, compressors })).toHaveLength(1);
    }
  });

  it('is left to the kernel if its type, its size or the format require it', async () => {
    const text = tableOf([['a', 'VARCHAR']]);
    const incompressible = Buffer.from(
      Array.from({ length: 70_000 }, (_, i) => ((i * i * 7919) % 94) + 33),
    ).toString();
    expect(await rowTablet(text, ['a'], header)).toBeDefined();
    expect(await rowTablet(text, [incompressible], { ...header, minBytesForWide: 10 })).toBeUndefined();
    expect(await rowTablet(text, ['a'], { ...header, formatVersion: 2 })).toBeUndefined();
    expect(await rowTablet({ ...text, partitionBy: ['a'] }, ['a'], header)).toBeUndefined();
    expect(await rowTablet(tableOf([['a', 'INTEGER[]']]), [null], header)).toBeUndefined();
  });
});
