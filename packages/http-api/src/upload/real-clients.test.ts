import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inPieces, received } from './multipart-fixture.ts';

/** Recorded requests of real clients, replayed against a real server. */
const dataDirectory =
  process.env.TESSERA_TEST_DATA ?? join(import.meta.dirname, '../../../../../shared/data');
const parquetFile = join(dataDirectory, 'files/parquet-testing/data/alltypes_plain.parquet');

/** Sends the raw bytes of a request and returns the received upload. */
async function replay(request: Buffer): Promise<{ sql: string; files: Record<string, Buffer> }> {
  const outcome = Promise.withResolvers<{ sql: string; files: Record<string, Buffer> }>();
  const server = http.createServer((incoming, response) => {
    received(incoming, { contentType: incoming.headers['content-type']! })
      .then(outcome.resolve, outcome.reject)
      .finally(() => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  // `write` and not `end`: a server of node:http takes a half-closed connection for a client that has
  // disconnected.
  socket.write(request);
  try {
    return await outcome.promise;
  } finally {
    socket.destroy();
    server.close();
  }
}

const lines = (...text: string[]): string => text.map((line) => `${line}\r\n`).join('');

describe('a bulk insert that streams without knowing its length', () => {
  it.skipIf(!existsSync(parquetFile))(
    `chunked, the file after the statement (skipped without ${parquetFile})`,
    async () => {
      const file = await readFile(parquetFile);
      const sql = `INSERT INTO "t" ("a") SELECT * FROM read_parquet('upload://batch_data')`;
      const boundary = '2f0c8b8c4f1e4b6d9a7e5d3c1b2a0f9e';
      const body = Buffer.concat([
        Buffer.from(
          lines(`--${boundary}`, 'Content-Disposition: form-data; name="sql"', '', sql) +
            lines(
              `--${boundary}`,
              'Content-Disposition: form-data; name="batch_data"; filename="batch_data.parquet"',
              'Content-Type: application/octet-stream',
              '',
            ),
        ),
        file,
        Buffer.from(`\r\n--${boundary}--\r\n`),
      ]);
      const head = lines(
        'POST /?database=db&output_format=JSON_Compact HTTP/1.1',
        'Host: localhost:3473',
        'Authorization: Bearer token',
        'User-Agent: Python-SDK/1.0',
        `Content-Type: multipart/form-data; boundary=${boundary}`,
        'Transfer-Encoding: chunked',
        '',
      );
      const chunks = inPieces(body, 700).flatMap((piece) => [
        Buffer.from(`${piece.length.toString(16).toUpperCase()}\r\n`),
        piece,
        Buffer.from('\r\n'),
      ]);
      const request = Buffer.concat([Buffer.from(head), ...chunks, Buffer.from('0\r\n\r\n')]);
      expect(await replay(request)).toEqual({ sql, files: { batch_data: file } });
    },
  );
});

it('a client that names each part like its file, and sends the statement last', async () => {
  const boundary = '------------------------d74496d66958873e';
  const sql =
    "SELECT * FROM READ_CSV('upload://sales.csv', HEADER => TRUE) JOIN READ_CSV('upload://regions-2024.csv') USING (id)";
  const body =
    lines(
      `--${boundary}`,
      'Content-Disposition: form-data; name="sales.csv"; filename="sales.csv"',
      'Content-Type: text/csv',
      '',
      'id,amount',
      '1,2.50',
      '',
    ) +
    lines(
      `--${boundary}`,
      'Content-Disposition: form-data; name="regions-2024.csv"; filename="regions-2024.csv"',
      'Content-Type: text/csv',
      '',
      'id,region',
      '1,Süd',
    ) +
    lines(`--${boundary}`, 'Content-Disposition: form-data; name="sql"', '', sql) +
    lines(`--${boundary}--`);
  const head = lines(
    'POST /query HTTP/1.1',
    'Host: localhost:3473',
    'User-Agent: curl/7.88.1',
    'Accept: */*',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    '',
  );
  expect(await replay(Buffer.from(head + body))).toEqual({
    sql,
    files: {
      'sales.csv': Buffer.from('id,amount\r\n1,2.50\r\n'),
      'regions-2024.csv': Buffer.from('id,region\r\n1,Süd'),
    },
  });
});

it('a client that uploads an Arrow stream', async () => {
  // A stream without batches and with one int32 column "a": enough to contain typical bytes, including zeros
  // and 0xff.
  const arrow = Buffer.from(
    'ffffffff780000001000000000000a000c000600050008000a000000000104000c00000008000800000004000800000004000000010000001400000010001400080006000700' +
      '0c00000010001000000000000102100000001800000004000000000000000100000061000000080' +
      '00c0008000700080000000000000120000000ffffffff00000000',
    'hex',
  );
  const boundary = 'X-BOUNDARY-7MA4YWxkTrZu0gW';
  const sql = "select * from Read_Arrow('upload://data.arrow')";
  const body = Buffer.concat([
    Buffer.from(
      lines(
        `--${boundary}`,
        'content-disposition: form-data; name="sql"',
        'content-type: text/plain; charset=utf-8',
        'content-length: 47',
        '',
        sql,
      ) +
        lines(
          `--${boundary}`,
          'content-disposition: form-data; name="data.arrow"; filename="data.arrow"',
          'content-type: application/vnd.apache.arrow.stream',
          `content-length: ${arrow.length}`,
          '',
        ),
    ),
    arrow,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const head = lines(
    'POST / HTTP/1.1',
    'host: localhost:3473',
    `content-type: multipart/form-data; boundary="${boundary}"`,
    `content-length: ${body.length}`,
    '',
  );
  expect(await replay(Buffer.concat([Buffer.from(head), body]))).toEqual({
    sql,
    files: { 'data.arrow': arrow },
  });
});
