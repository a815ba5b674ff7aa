import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { crc32c } from '@node-rs/crc32';
import type { Tablet } from '@tessera/catalog';
import { quoteText } from '@tessera/kernel';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, describe, expect, it } from 'vitest';
import { chunksOf, damagedChunk } from '../read/plan-ranges.ts';
import { readHeader } from '../read/read-header.ts';
import { readBack, tableOf, testTablets } from '../testing/test-tablets.ts';
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

  const first = (tablet: Tablet) => tablet.statistics[0]!.min;

  it('says in the header where every chunk is, and what it sums to', async () => {
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

  it('stays Parquet for readers that know nothing of tablets', async () => {
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

  it('is still Parquet in every format and layout', async () => {
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

  it('makes nothing of nothing', async () => {
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

  it('stops when told to, leaving the session usable', async () => {
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

  it('puts one value into a tablet, NULL too, with rows sorted', async () => {
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

  it('takes a thousand of them', async () => {
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

it('leaves only the files of tablets', async () => {
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
