import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandFailure } from '../exit-code.ts';
import { ask, memoryStreams, startServer } from './query-fixture.ts';
import { runQuery } from './run-query.ts';

const never = new AbortController().signal;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-cli-'));
});
afterAll(() => rm(directory, { recursive: true }));

const failure = async (running: Promise<void>): Promise<CommandFailure> =>
  running.then(
    () => {
      throw new Error('the query was expected to fail');
    },
    (error: CommandFailure) => error,
  );

describe('the request', () => {
  it('is the bare statement when there is no file', async () => {
    await using server = await startServer((_, response) => response.end('n\n42\n'));
    const { io, out } = memoryStreams();
    const query = ask(server.url, 'SELECT 42', {
      server: { url: `${server.url}/base/`, token: 'secret' },
      database: 'db',
      settings: { timezone: 'UTC' },
    });
    await runQuery(query, io, never);
    expect(out()).toBe('n\n42\n');
    const [seen] = server.seen;
    expect(seen).toMatchObject({ path: '/base/', body: 'SELECT 42' });
    expect(seen!.headers.authorization).toBe('Bearer secret');
    expect(Object.fromEntries(seen!.parameters)).toMatchObject({
      database: 'db',
      timezone: 'UTC',
      output_format: 'TabSeparatedWithNames',
    });
  });

  it('is multipart with the announced length when there are files', async () => {
    await using server = await startServer((_, response) => response.end());
    const path = join(directory, 'a.csv');
    await writeFile(path, 'x\n1\n');
    const files = [
      { name: 'a', path, encoding: undefined },
      { name: 'b', path, encoding: 'zstd' },
    ];
    await runQuery(ask(server.url, 'SELECT 1', { files }), memoryStreams().io, never);
    const [seen] = server.seen;
    const boundary = /boundary=(.+)$/.exec(seen!.headers['content-type']!)![1]!;
    expect(seen!.body.replaceAll(boundary, 'B')).toBe(
      [
        '--B',
        'Content-Disposition: form-data; name="sql"',
        '',
        'SELECT 1',
        '--B',
        'Content-Disposition: form-data; name="a"; filename="a"',
        'Content-Type: application/octet-stream',
        '',
        'x\n1\n',
        '--B',
        'Content-Disposition: form-data; name="b"; filename="b"',
        'Content-Type: application/octet-stream',
        'Content-Encoding: zstd',
        '',
        'x\n1\n',
        '--B--',
        '',
      ].join('\r\n'),
    );
    expect(seen!.headers['content-length']).toBe(String(Buffer.byteLength(seen!.body)));
  });

  it('is chunked when a file comes from standard input', async () => {
    await using server = await startServer((_, response) => response.end());
    const files = [{ name: 'in', path: '-', encoding: undefined }];
    await runQuery(ask(server.url, 'SELECT 1', { files }), memoryStreams({ stdin: 'piped' }).io, never);
    expect(server.seen[0]!.body).toContain('\r\n\r\npiped\r\n--');
    expect(server.seen[0]!.headers['transfer-encoding']).toBe('chunked');
  });

  it('requests a table on a terminal, and no binary format there', async () => {
    await using server = await startServer((_, response) => response.end());
    const { io } = memoryStreams({ terminal: true });
    await runQuery(ask(server.url, 'SELECT 1'), io, never);
    expect(server.seen[0]!.parameters.get('output_format')).toBe('PSQL');
    const refused = await failure(runQuery(ask(server.url, 'SELECT 1', { format: 'arrow' }), io, never));
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(server.seen).toHaveLength(1);
  });

  it('streams a large file, with a progress bar on a terminal', async () => {
    await using server = await startServer((_, response) => response.end());
    const path = join(directory, 'large');
    await writeFile(path, Buffer.alloc(8_000_000, 'x'));
    const { io, err } = memoryStreams({ terminal: true });
    const files = [{ name: 'large', path, encoding: undefined }];
    await runQuery(ask(server.url, 'SELECT 1', { files }), io, never);
    expect(server.seen[0]!.body.length).toBeGreaterThan(8_000_000);
    expect(err()).toContain('uploading');
  });
});

describe('failures', () => {
  it('shows the description, the location and the resolution, and exits with 1', async () => {
    const errors = [
      {
        description: 'Line 2, Column 3: column "foo" does not exist',
        location: { failing_line: 2, start_offset: 3, end_offset: 6 },
        resolution: 'Use one of: bar.',
      },
    ];
    await using server = await startServer((_, response) => {
      response.writeHead(400).end(JSON.stringify({ errors }));
    });
    const failed = await failure(runQuery(ask(server.url, 'SELECT\n  foo'), memoryStreams().io, never));
    expect(failed.exitCode).toBe(1);
    expect(failed.message).toBe(
      'error: Line 2, Column 3: column "foo" does not exist\n    foo\n    ^^^\nhint: Use one of: bar.',
    );
  });

  it('finds the error at the end of a result of lines', async () => {
    await using server = await startServer((_, response) => {
      response.end(
        '{"message_type":"START"}\n{"message_type":"FINISH_WITH_ERRORS","errors":[{"description":"too late"}]}\n',
      );
    });
    const failed = await failure(
      runQuery(ask(server.url, 'SELECT 1', { format: 'jsonlines' }), memoryStreams().io, never),
    );
    expect(failed).toMatchObject({ exitCode: 1, message: 'error: too late' });
  });

  it('says that a truncated result is incomplete', async () => {
    await using server = await startServer((_, response) => {
      response.write('n\n1\n', () => response.destroy());
    });
    const { io, out } = memoryStreams();
    const failed = await failure(runQuery(ask(server.url, 'SELECT 1'), io, never));
    expect(out()).toBe('n\n1\n');
    expect(failed.exitCode).toBe(3);
    expect(failed.message).toContain('not complete');
  });

  it('exits with 3 when nobody listens or something else answers', async () => {
    const nobody = await failure(runQuery(ask('http://127.0.0.1:1', 'SELECT 1'), memoryStreams().io, never));
    expect(nobody).toMatchObject({ exitCode: 3 });
    expect(nobody.message).toContain('nothing listens there');
    await using server = await startServer((_, response) => response.writeHead(502).end('<html>'));
    const foreign = await failure(runQuery(ask(server.url, 'SELECT 1'), memoryStreams().io, never));
    expect(foreign).toMatchObject({ exitCode: 3 });
    expect(foreign.message).toContain('HTTP 502');
  });

  it('refuses missing files before it connects', async () => {
    const files = [{ name: 'a', path: join(directory, 'missing'), encoding: undefined }];
    const failed = await failure(
      runQuery(ask('http://127.0.0.1:1', 'x', { files }), memoryStreams().io, never),
    );
    expect(failed).toMatchObject({ exitCode: 2 });
    expect(failed.message).toContain('missing');
  });

  it('cancels the query by its id when interrupted', async () => {
    const interrupt = new AbortController();
    await using server = await startServer((seen, response) => {
      if (seen.path === '/cancel') response.end();
      else interrupt.abort();
    });
    const failed = await failure(runQuery(ask(server.url, 'SELECT 1'), memoryStreams().io, interrupt.signal));
    expect(failed).toMatchObject({ exitCode: 130, message: 'cancelled' });
    expect(server.seen.map((s) => s.path)).toEqual(['/', '/cancel']);
    expect(server.seen[1]!.parameters.get('query_id')).toBe(server.seen[0]!.parameters.get('query_id'));
  });
});
