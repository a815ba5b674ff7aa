import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { parseString, writeToString } from 'fast-csv';
import { ParquetReader, ParquetSchema, ParquetWriter, type Row } from 'parquetjs-lite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resultFile, rows, upload } from './http.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

let server: TesseraProcess;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-uploads-'));
  server = await startTessera({ args: ['--allow-write', directory] });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

const SALES = 'region,amount\nnorth,10\nsouth,20\nnorth,5\n';
const csv = (text: string) => new Blob([text]);
const leftFiles = () => readdir(join(server.dataDirectory, 'uploads'));

describe('the statement reads the files that came with it', () => {
  it('CSV, all TEXT by default, typed on request', async () => {
    const files = { sales: csv(SALES) };
    const untyped = "SELECT * FROM READ_CSV('upload://sales') LIMIT 1";
    expect(await rows(server, untyped, files)).toEqual([['region', 'amount']]);
    const typed =
      "SELECT region, sum(amount) AS total FROM READ_CSV('upload://sales', HEADER => true, INFER_SCHEMA => true) GROUP BY region ORDER BY region";
    expect(await rows(server, typed, files)).toEqual([
      ['north', '15'],
      ['south', '20'],
    ]);
  });

  it('Parquet, with a condition on an array that IS [NOT] DISTINCT FROM tests', async () => {
    const body = "SELECT i AS id, ARRAY[i % 3] AS a, 'text ' || i AS t FROM generate_series(0, 5000) AS s(i)";
    const files = { rows: await resultFile(server, 'Parquet', body) };
    const longest = (condition: string) =>
      rows(
        server,
        `SELECT count(*), max(length(t)) FROM READ_PARQUET('upload://rows') WHERE ${condition}`,
        files,
      );
    expect(await longest('a IS DISTINCT FROM ARRAY[1]')).toEqual([['3334', '9']]);
    expect(await longest('a IS NOT DISTINCT FROM ARRAY[1] AND id > 100')).toEqual([['1633', '9']]);
    expect(await longest('row(a, 1) IS DISTINCT FROM row(ARRAY[1], 1)')).toEqual([['3334', '9']]);
  });

  it('a join of two formats', async () => {
    const regions = await resultFile(server, 'Parquet', "SELECT 'north' AS region, 'N' AS code");
    const sql = `SELECT code, count(*) FROM READ_CSV('upload://sales', HEADER => true) s
      JOIN READ_PARQUET('upload://regions.parquet') r ON s.region = r.region GROUP BY code`;
    expect(await rows(server, sql, { sales: csv(SALES), 'regions.parquet': regions })).toEqual([['N', '2']]);
  });

  it('a result in ArrowStream is read by READ_ARROW', async () => {
    const sql = "SELECT n, 'v' || n AS s FROM generate_series(1, 3) AS g(n)";
    const stream = await resultFile(server, 'ArrowStream', sql);
    expect(
      await rows(server, "SELECT * FROM READ_ARROW('upload://data.arrow') ORDER BY n", {
        'data.arrow': stream,
      }),
    ).toEqual([
      ['1', 'v1'],
      ['2', 'v2'],
      ['3', 'v3'],
    ]);
  });

  it('text lines and JSON', async () => {
    expect(
      await rows(server, "SELECT line FROM READ_TEXT('upload://notes')", { notes: csv('a,b\n\n"c') }),
    ).toEqual([['a,b'], [''], ['"c']]);
    expect(
      await rows(server, "SELECT a FROM READ_JSON('upload://j')", { j: csv('{"a":1}\n{"a":2}\n') }),
    ).toEqual([['1'], ['2']]);
  });

  it('function names in any case', async () => {
    expect(
      await rows(server, "SELECT count(*) FROM read_Csv('upload://sales')", { sales: csv(SALES) }),
    ).toEqual([['4']]);
  });

  it('the files are deleted when the response is complete', async () => {
    await rows(server, "SELECT count(*) FROM READ_CSV('upload://sales')", { sales: csv(SALES) });
    await expect.poll(leftFiles).toEqual([]);
  });
});

describe('files of other libraries are read, and other libraries read what is written', () => {
  const NAMES = ['plain', 'ü, "quoted"', ' two\nlines ', null];

  it('Parquet: parquetjs-lite', async () => {
    const written = NAMES.map((name, id) => ({
      id,
      name,
      share: id / 4,
      even: id % 2 === 0,
      at: new Date(Date.UTC(2024, 1, 29, 12, 0, id)),
      tags: NAMES.slice(0, id),
    }));
    const schema = new ParquetSchema({
      id: { type: 'INT64' },
      name: { type: 'UTF8', optional: true, compression: 'SNAPPY' },
      share: { type: 'DOUBLE', compression: 'GZIP' },
      even: { type: 'BOOLEAN' },
      at: { type: 'TIMESTAMP_MILLIS' },
      tags: { type: 'UTF8', repeated: true, compression: 'SNAPPY' },
    });
    const stream = new PassThrough();
    const content = buffer(stream);
    const writer = await ParquetWriter.openStream(schema, stream, { rowGroupSize: 3 });
    for (const row of written) await writer.appendRow(row);
    await writer.close();
    const files = { people: new Blob([await content]) };

    const from = "FROM READ_PARQUET('upload://people')";
    expect(await rows(server, `SELECT id, name, share, even, tags ${from} ORDER BY id`, files)).toEqual(
      written.map(({ id, name, share, even, tags }) => [`${id}`, name, share, even, tags]),
    );
    expect(await rows(server, `SELECT max(at) = '2024-02-29 12:00:03' ${from}`, files)).toEqual([[true]]);

    const path = join(directory, 'people.parquet');
    const sql = `COPY (SELECT id, name, share, even ${from} ORDER BY id) TO '${path}' COMPRESSION = SNAPPY`;
    expect(await upload(server, sql, files)).toMatchObject({ status: 200 });
    const reader = await ParquetReader.openBuffer(await readFile(path));
    const read: Row[] = [];
    const cursor = reader.getCursor();
    for (let row = await cursor.next(); row !== null; row = await cursor.next()) read.push(row);
    await reader.close();
    expect(read.map(({ id, name = null, share, even }) => [`${id}`, name, share, even])).toEqual(
      written.map(({ id, name, share, even }) => [`${id}`, name, share, even]),
    );
  });

  it('CSV: fast-csv', async () => {
    const table = [['id', 'name'], ...NAMES.map((name, id) => [`${id}`, name ?? ''])];
    const files = { people: csv(await writeToString(table)) };
    const sql = "SELECT * FROM READ_CSV('upload://people', HEADER => true, INFER_SCHEMA => true) ORDER BY id";
    expect(await rows(server, sql, files)).toEqual(NAMES.map((name, id) => [`${id}`, name]));

    const result = await upload(server, sql, files, { output_format: 'CSVWithNames' });
    const read: unknown[] = [];
    for await (const row of parseString(result.text)) read.push(row);
    expect(read).toEqual(table);
  });
});

describe('codings per part', () => {
  const encoders: Record<string, (data: Buffer) => Buffer> = {
    gzip: gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
    xz: (data) => execFileSync('xz', ['-c'], { input: data }),
    lz4: (data) => execFileSync('lz4', ['-c'], { input: data }),
  };
  it.each(Object.keys(encoders))('%s, through curl', (coding) => {
    const file = encoders[coding]!(Buffer.from(SALES));
    const answer = execFileSync(
      'curl',
      [
        '-sS',
        `${server.url}/?output_format=CSVWithNames`,
        '-F',
        "sql=SELECT count(*) AS n FROM READ_CSV('upload://sales', HEADER => true)",
        '-F',
        `sales=@-;filename=sales.csv;headers=Content-Encoding: ${coding}`,
      ],
      { input: file },
    );
    expect(answer.toString()).toBe('"n"\n3\n');
  });
});

describe('refusals name what is wrong', () => {
  const sales = { sales: csv(SALES) };
  it.each([
    [
      "SELECT * FROM READ_CSV('upload://sale')",
      'upload://sale does not exist',
      'file parts of this request: sales',
    ],
    ["SELECT * FROM READ_CSV('upload://*')", 'upload://*', 'pattern'],
    ["SELECT * FROM READ_CSV('upload://sales', HEADRE => true)", 'headre', ''],
    ["SELECT * FROM READ_CSV('upload://sales', HEADER => 'maybe')", 'HEADER', ''],
    ["SELECT * FROM READ_PARQUET('upload://sales')", 'upload://sales', ''],
    ["COPY t FROM 'upload://sales'", 'upload://', 'READ_'],
    ["COPY INTO t FROM 'upload://sales'", 'upload://', 'READ_'],
    ["CREATE EXTERNAL TABLE t (a int) URL = 'upload://sales' TYPE = (CSV)", 'upload://', 'READ_'],
    ["CREATE VIEW v AS SELECT * FROM READ_CSV('upload://sales')", 'upload://', ''],
  ])('%s', async (sql, ...parts) => {
    const answer = await upload(server, sql, sales);
    expect([400, 403]).toContain(answer.status);
    for (const part of parts) expect(answer.json().message.toLowerCase()).toContain(part.toLowerCase());
  });

  it('a corrupt file is named by its upload URL, and no path of the engine is shown', async () => {
    const answer = await upload(server, "SELECT * FROM READ_PARQUET('upload://broken')", {
      broken: csv('PAR1 and no more'),
    });
    expect(answer.status).toBe(400);
    expect(answer.json().message).toContain('upload://broken');
    expect(answer.text).not.toContain(server.dataDirectory);
  });

  it('a Content-Encoding of the whole multipart request', async () => {
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Encoding': 'gzip' },
      body: gzipSync('--b--\r\n'),
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Content-Encoding');
  });

  it('a failed upload leaves no file', async () => {
    const form = new FormData();
    form.append('sales', csv(SALES), 'x');
    const response = await fetch(server.url, { method: 'POST', body: form });
    expect(response.status).toBe(400);
    await expect.poll(leftFiles).toEqual([]);
  });
});

describe('a client that goes away half-way', () => {
  it('leaves neither a file nor a running query', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n' +
        '--b\r\nContent-Disposition: form-data; name="sql"\r\n\r\nSELECT 1\r\n' +
        '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nsome bytes',
    );
    await expect.poll(async () => (await leftFiles()).length).toBe(1);
    socket.destroy();
    await expect.poll(leftFiles).toEqual([]);
  });
});

describe('limits', () => {
  it('1 GB of file bytes after decompression, whatever the compressed size', async () => {
    const zeros = zstdCompressSync(Buffer.alloc(64 << 20));
    const bomb = Buffer.concat(Array.from({ length: 20 }, () => zeros));
    const boundary = 'bomb';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="sql"\r\n\r\nSELECT 1\r\n--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="f"\r\nContent-Encoding: zstd\r\n\r\n`;
    const other = rows(server, 'SELECT count(*) FROM generate_series(1, 20000000)');
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
      body: Buffer.concat([Buffer.from(head), bomb, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    });
    expect(response.status).toBe(413);
    expect(await response.text()).toContain('1 GB');
    expect(await other).toEqual([['20000000']]);
    await expect.poll(leftFiles).toEqual([]);
    expect((await stat(join(server.dataDirectory, 'uploads'))).isDirectory()).toBe(true);
  });
});

describe('FROM names an upload without a function', () => {
  const lines = (answer: { text: string }) => answer.text.trimEnd().split('\n').slice(1);
  const read = async (sql: string, files: Record<string, Blob>) => {
    const answer = await upload(server, sql, files, { output_format: 'TabSeparatedWithNamesAndTypes' });
    const notes = JSON.parse(answer.headers.get('x-tessera-warnings') ?? '[]') as { description: string }[];
    return { answer, rows: lines(answer), notes: notes.map(({ description }) => description) };
  };
  const semi = csv("id;name;day\n1;'a;b';2024-01-31\n2;c;2024-02-01\n");

  it('delimiter, quote, header and types of a CSV file are inferred, and a notice names them', async () => {
    const { rows, notes } = await read("SELECT * FROM 'upload://trips' ORDER BY id", { trips: semi });
    expect(rows).toEqual(['long null\ttext null\tdate null', '1\ta;b\t2024-01-31', '2\tc\t2024-02-01']);
    expect(notes).toEqual([
      "upload://trips is read as CSV with delimiter ';', quote '''', a header line and the columns id bigint, name text, day date",
    ]);
  });

  it('its rows are named like the file without its extension', async () => {
    const sql =
      "SELECT trips.id FROM 'upload://trips.csv' JOIN 'upload://trips.csv' AS t ON t.id = trips.id + 1";
    expect((await read(sql, { 'trips.csv': semi })).rows.slice(1)).toEqual(['1']);
  });

  it('a CSV file without a header has numbered columns', async () => {
    const { rows, notes } = await read("FROM 'upload://n'", { n: csv('1,x\n2,y\n') });
    expect(rows).toEqual(['long null\ttext null', '1\tx', '2\ty']);
    expect(notes[0]).toContain('no header line and the columns f0 bigint, f1 text');
  });

  it('the content determines the format if the name does not', async () => {
    const files = {
      p: await resultFile(server, 'Parquet', 'SELECT 7 AS n'),
      'j.dat': csv(' [{"a": 1}, {"a": 2}]'),
      z: new Blob([zstdCompressSync('a|b\n1|2\n')]),
      g: new Blob([gzipSync('{"a":5}\n')]),
      'misnamed.csv': await resultFile(server, 'ArrowStream', 'SELECT 9 AS n'),
      // A block of zstd is longer than the beginning of most files, and much text can be very short when it is compressed.
      block: new Blob([zstdCompressSync(`{"a":"${randomBytes(60_000).toString('base64')}"}\n`)]),
      short: new Blob([gzipSync(`{"a":"${'x'.repeat(1_000_000)}"}\n`)]),
    };
    const sql = (name: string) => `SELECT * FROM 'upload://${name}'`;
    expect((await read(sql('p'), files)).rows.slice(1)).toEqual(['7']);
    expect((await read(sql('j.dat'), files)).rows.slice(1)).toEqual(['1', '2']);
    expect((await read(sql('z'), files)).rows.slice(1)).toEqual(['1\t2']);
    expect((await read(sql('g'), files)).rows.slice(1)).toEqual(['5']);
    expect((await read("SELECT length(a) FROM 'upload://block'", files)).rows.slice(1)).toEqual(['80000']);
    expect((await read("SELECT length(a) FROM 'upload://short'", files)).rows.slice(1)).toEqual(['1000000']);
    expect((await read(sql('misnamed.csv'), files)).notes).toEqual([
      'upload://misnamed.csv is read with READ_ARROW',
    ]);
  });

  it('DESCRIBE and SUMMARIZE take a file, with the types of the dialect', async () => {
    const files = { 'trips.csv': semi };
    const described = await read("DESCRIBE 'upload://trips.csv'", files);
    expect(described.rows.slice(1).map((row) => row.split('\t').slice(0, 2))).toEqual([
      ['id', 'bigint'],
      ['name', 'text'],
      ['day', 'date'],
    ]);
    const call = "DESCRIBE READ_CSV('upload://trips.csv', DELIMITER => ';', QUOTE => '''')";
    expect((await read(call, files)).rows.slice(1).map((row) => row.split('\t')[0])).toEqual([
      'f0',
      'f1',
      'f2',
    ]);
    const summary = await read("SUMMARIZE 'upload://trips.csv'", files);
    expect(summary.rows.slice(1).map((row) => row.split('\t').slice(0, 4))).toEqual([
      ['id', 'bigint', '1', '2'],
      ['name', 'text', 'a;b', 'c'],
      ['day', 'date', '2024-01-31', '2024-02-01'],
    ]);
    const types = await read(
      'SUMMARIZE SELECT 1.5::numeric(4,2) AS n, now() AS t, ARRAY[1] AS a, 1.5::double AS d',
      {},
    );
    expect(types.rows.slice(1).map((row) => row.split('\t')[1])).toEqual([
      'numeric(4, 2)',
      'timestamptz',
      'array(integer)',
      'double precision',
    ]);
  });

  it('an error names the upload and its place', async () => {
    const missing = await upload(server, "SELECT 1\nFROM 'upload://other'", { trips: semi });
    expect(missing.json().message).toContain(
      'upload://other does not exist (file parts of this request: trips)',
    );
    const wrong = await upload(server, "FROM 'upload:trips'", { trips: semi });
    expect(wrong.json().message).toBe(
      'Line 1, Column 6: "upload:trips" is not a URL of the form upload://<name>',
    );
  });
});
