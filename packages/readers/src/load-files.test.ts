import { appendFileSync, createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { TesseraError } from '@tessera/common';
import { type Kernel, type KernelSession, startKernel } from '@tessera/kernel';
import * as arrow from 'apache-arrow';
import avsc from 'avsc';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadArrow, loadAvro } from './index.ts';

let directory: string;
let kernel: Kernel;
let session: KernelSession;
const silent = { info: () => {}, warn: () => {}, error: () => {} };
const { signal } = new AbortController();

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-readers-'));
  kernel = await startKernel({
    directory: join(directory, 'kernel'),
    readableDirectories: [],
    memoryLimitBytes: 1e9,
    threads: 2,
    bootstrap: ["SET TimeZone = 'UTC'"],
    log: silent,
  });
});
afterAll(async () => {
  await kernel.close();
  rmSync(directory, { recursive: true });
});
beforeEach(async () => {
  session = await kernel.session();
});
afterEach(() => session.close());

async function avroFile(name: string, schema: avsc.Schema, rows: Iterable<unknown>): Promise<string> {
  const path = join(directory, name);
  const encoder = new avsc.streams.BlockEncoder(schema, { codec: 'deflate' });
  await pipeline(Readable.from(rows), encoder, createWriteStream(path));
  return path;
}

const numbers: avsc.Schema = {
  type: 'record',
  name: 'Number',
  fields: [
    { name: 'n', type: 'long' },
    { name: 'label', type: ['null', 'string'] },
  ],
};

function* numberRows(count: number) {
  for (let n = 0; n < count; n++) yield { n, label: n % 3 === 0 ? null : `number ${n}` };
}

it('refuses a name with a NUL character, also in a struct', async () => {
  const path = join(directory, 'nul.arrow');
  const inner = new arrow.Struct([new arrow.Field('a\0b', new arrow.Int32(), true)]);
  for (const table of [
    new arrow.Table({ 'a\0b': arrow.vectorFromArray([1], new arrow.Int32()) }),
    new arrow.Table({ s: arrow.vectorFromArray([{ 'a\0b': 1 }], inner) }),
  ]) {
    writeFileSync(path, arrow.tableToIPC(table));
    const loading = loadArrow(session, { files: [{ path, label: 'upload://n' }], table: 'read_0', signal });
    await expect(loading).rejects.toMatchObject({
      name: 'INVALID_ENCODING',
      message: 'invalid byte sequence for encoding "UTF8": 0x00 (in the name of a column of upload://n)',
    });
  }
});

describe('Avro', () => {
  it('loads many blocks in order', async () => {
    const path = await avroFile('numbers.avro', numbers, numberRows(200_000));
    await loadAvro(session, { files: [{ path, label: 'upload://n' }], table: 'read_0', signal });
    const sql = `SELECT count(*) || ' ' || sum(n) || ' ' || count(label) || ' ' ||
      count(*) FILTER (label = 'number ' || n) || ' ' || count(*) FILTER (n = rowid) FROM read_0`;
    expect(await session.scalar(sql)).toBe('200000 19999900000 133333 133333 200000');
  });

  it('loads several files of one schema and names the one that differs', async () => {
    const one = { path: await avroFile('one.avro', numbers, numberRows(2)), label: 'one' };
    const other = {
      path: await avroFile('other.avro', { type: 'array', items: 'int' }, [[1]]),
      label: 'other',
    };
    await loadAvro(session, { files: [one, one], table: 't', signal });
    expect(await session.scalar('SELECT list(n)::VARCHAR FROM t')).toBe('[0, 1, 0, 1]');
    await expect(loadAvro(session, { files: [one, other], table: 'u', signal })).rejects.toMatchObject({
      name: 'BAD_FILE',
      message: 'Cannot read other: its columns are not those of one (the first difference is "value")',
    });
  });

  it('has a kernel type for every column type', async () => {
    const logical = (type: unknown, logicalType: string, more = {}) => ({ type, logicalType, ...more });
    const fields = {
      a: logical('int', 'date'),
      b: logical('int', 'time-millis'),
      c: logical('long', 'timestamp-micros'),
      d: logical('long', 'local-timestamp-millis'),
      e: logical('bytes', 'decimal', { precision: 4, scale: 2 }),
      f: { type: 'fixed', name: 'D', size: 12, logicalType: 'duration' },
      g: { type: 'map', values: 'float' },
      h: ['null', 'int', 'string'],
      i: { type: 'enum', name: 'E', symbols: ['X', 'Y'] },
      j: 'bytes',
      k: 'boolean',
      l: 'null',
    };
    const schema = {
      type: 'record',
      name: 'All',
      fields: Object.entries(fields).map(([name, type]) => ({ name, type })),
    } as unknown as avsc.Schema;
    const row = {
      a: 19_782,
      b: 3_600_000,
      c: 1_500_000,
      d: -1,
      e: Buffer.from([0xff, 0x85]),
      f: Buffer.from('010000000200000003000000', 'hex'),
      g: { k: 0.5 },
      h: 7,
      i: 'Y',
      j: Buffer.from([0, 255]),
      k: true,
      l: null,
    };
    const path = await avroFile('all.avro', schema, [row]);
    await loadAvro(session, { files: [{ path, label: 'all' }], table: 't', signal });
    expect(await session.scalar('SELECT t::VARCHAR FROM t')).toBe(
      "{'a': 2024-02-29, 'b': '01:00:00', 'c': '1970-01-01 00:00:01.5+00', 'd': '1969-12-31 23:59:59.999', " +
        "'e': -1.23, 'f': '1 month 2 days 00:00:00.003', 'g': [{'key': k, 'value': 0.5}], " +
        "'h': {'int': 7, 'string': NULL}, 'i': Y, 'j': \\x00\\xFF, 'k': true, 'l': NULL}",
    );
  });

  it('leaves no table when it fails, and the session remains usable', async () => {
    const path = await avroFile('cut.avro', numbers, numberRows(100_000));
    appendFileSync(path, 'garbage');
    const load = loadAvro(session, { files: [{ path, label: 'upload://cut' }], table: 't', signal });
    await expect(load).rejects.toMatchObject({
      name: 'BAD_FILE',
      message: expect.stringMatching(/^Cannot read upload:\/\/cut: block \d+ at byte \d+: /),
    });
    await expect(session.scalar('SELECT 1 FROM t')).rejects.toMatchObject({ name: 'UNDEFINED_TABLE' });
    expect(await session.scalar('SELECT 42')).toBe(42);
  });

  it('stops when it is cancelled', async () => {
    const path = await avroFile('cancelled.avro', numbers, numberRows(300_000));
    const files = [{ path, label: 'n' }];
    const reason = TesseraError.of('STATEMENT_TIMEOUT', { timeoutMs: 5 });
    await expect(loadAvro(session, { files, table: 't', signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    const abort = new AbortController();
    const load = loadAvro(session, { files: Array(20).fill(files[0]), table: 't', signal: abort.signal });
    setImmediate(() => abort.abort(reason));
    await expect(load).rejects.toBe(reason);
  });

  it('reports a missing file', async () => {
    const files = [{ path: join(directory, 'none'), label: 'upload://none' }];
    await expect(loadAvro(session, { files, table: 't', signal })).rejects.toMatchObject({
      name: 'FILE_NOT_FOUND',
    });
  });
});

it('reuses its thread unless the thread failed or was stopped', async () => {
  let threads = 0;
  const onThread = () => {
    threads += 1;
  };
  process.on('worker', onThread);
  try {
    const path = await avroFile('again.avro', numbers, numberRows(20_000));
    const broken = join(directory, 'broken.avro');
    writeFileSync(broken, 'Obj\u0001');
    const load = (table: string, file = path, abort = signal) =>
      loadAvro(session, { files: [{ path: file, label: file }], table, signal: abort });
    const sum = (table: string) => session.scalar(`SELECT count(*)::VARCHAR || ' ' || sum(n) FROM ${table}`);
    await load('again_1');
    const before = threads;
    await load('again_2');
    expect(threads).toBe(before);
    await expect(load('again_3', broken)).rejects.toMatchObject({ name: 'BAD_FILE' });
    const controller = new AbortController();
    const cancelled = load('again_4', path, controller.signal);
    controller.abort(TesseraError.of('QUERY_CANCELLED', { reason: 'a test' }));
    await expect(cancelled).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    await expect(load('again_5', join(directory, 'none.avro'))).rejects.toMatchObject({
      name: 'FILE_NOT_FOUND',
    });
    expect(threads).toBeGreaterThan(before);
    // Two at once have a thread each.
    const other = await kernel.session();
    try {
      const files = [{ path, label: path }];
      await Promise.all([load('again_6'), loadAvro(other, { files, table: 'again_7', signal })]);
      expect(await other.scalar('SELECT count(*)::VARCHAR FROM again_7')).toBe('20000');
    } finally {
      await other.close();
    }
    await load('again_8');
    for (const table of ['again_1', 'again_2', 'again_6', 'again_8'])
      expect(await sum(table), table).toBe('20000 199990000');
  } finally {
    process.off('worker', onThread);
  }
});

describe('Arrow', () => {
  it('loads files and streams of other writers', async () => {
    for (const name of ['polars-lz4.arrow', 'polars-zstd.arrow', 'polars-stream.arrows']) {
      const path = fileURLToPath(new URL(`../test-files/${name}`, import.meta.url));
      await loadArrow(session, { files: [{ path, label: name }], table: name.replace(/\W/g, '_'), signal });
    }
    const sql = (table: string) => `SELECT list(x)::VARCHAR FROM (FROM ${table}) x`;
    const stream = await session.scalar(sql('polars_stream_arrows'));
    expect(stream).toContain("'c': blue, 'st': {'x': 2.0, 'y': b}, 'u8': 2, 'dt': 1970-01-02}");
    expect(await session.scalar(sql('polars_lz4_arrow'))).toBe(stream);
    expect(await session.scalar(sql('polars_zstd_arrow'))).toBe(stream);
  });

  it('refuses a damaged file, and a type that it cannot store', async () => {
    const path = join(directory, 'bad.arrow');
    const files = [{ path, label: 'upload://data.arrow' }];
    const table = new arrow.Table({ a: arrow.vectorFromArray(['x', 'y'], new arrow.Utf8()) });
    writeFileSync(path, arrow.tableToIPC(table, 'file').subarray(0, -1));
    await expect(loadArrow(session, { files, table: 't', signal })).rejects.toMatchObject({
      name: 'BAD_FILE',
      message: expect.stringContaining('upload://data.arrow: the file is truncated'),
    });
  });
});
