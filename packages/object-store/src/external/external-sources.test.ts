import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExternalSources, type ResolveOptions } from '../index.ts';

let root: string;
let requestDirectory: string;
let server: Server;
let elsewhere: Server;
let origin: string;
let elsewhereOrigin: string;
let sources: ExternalSources;
const seen: IncomingMessage[] = [];

const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/data/plain.csv': (_, r) => r.end('a,b\n1,2\n'),
  '/data/zipped.csv': (_, r) => r.setHeader('content-encoding', 'gzip').end(gzipSync('zipped')),
  '/data/twice': (_, r) =>
    r.setHeader('content-encoding', 'zstd, x-gzip').end(gzipSync(zstdCompressSync(Buffer.from('twice')))),
  '/data/bomb': (_, r) => r.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(5_000_000))),
  '/data/cut-gzip': (_, r) =>
    r.setHeader('content-encoding', 'gzip').end(gzipSync('x'.repeat(100)).subarray(0, 20)),
  '/data/strange-coding': (_, r) => r.setHeader('content-encoding', 'rot13').end('x'),
  '/data/breaks-off': (_, r) => {
    r.writeHead(200, { 'content-length': '100' });
    r.write('short', () => r.destroy());
  },
  '/data/silent': (_, r) => r.writeHead(200).flushHeaders(),
  '/data/endless': (_, r) => {
    const more = () => r.write(Buffer.alloc(65_536), (error) => error ?? setImmediate(more));
    more();
  },
  '/data/to-plain': (_, r) => r.writeHead(302, { location: 'plain.csv' }).end(),
  '/data/to-private': (_, r) => r.writeHead(301, { location: '/private/secret' }).end(),
  '/data/to-elsewhere': (_, r) => r.writeHead(307, { location: `${elsewhereOrigin}/data/secret` }).end(),
  '/data/to-file': (_, r) => r.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/data/loop': (_, r) => r.writeHead(308, { location: '/data/loop' }).end(),
  '/data/forbidden': (_, r) => r.writeHead(403).end('no'),
  '/data/gone': (_, r) => r.writeHead(410).end(),
  '/data/part': (_, r) => r.writeHead(206).end('part'),
};

async function listen(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
  const started = createServer(handler);
  await new Promise<void>((done) => started.listen(0, '127.0.0.1', done));
  return started;
}

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'tessera-sources-')));
  requestDirectory = join(root, 'request');
  await mkdir(requestDirectory);
  await mkdir(join(root, 'allowed/deep/er'), { recursive: true });
  await mkdir(join(root, 'allowed-not'));
  await mkdir(join(root, 'outside'));
  for (const name of [
    'allowed/b.csv',
    'allowed/a.csv',
    'allowed/c.txt',
    'allowed/x[1].csv',
    'allowed/{a,b}.json',
    'allowed/a.json',
    'allowed/#!+(a) b\\c.tsv',
    'allowed/deep/d.csv',
    'allowed/deep/er/e.csv',
    'allowed-not/f.csv',
    'outside/secret.csv',
  ]) {
    await writeFile(join(root, name), name);
  }
  await symlink(join(root, 'outside'), join(root, 'allowed/deep/link'));
  await symlink(join(root, 'allowed'), join(root, 'alias'));
  await symlink(join(root, 'outside/secret.csv'), join(root, 'allowed/deep/out-link.csv'));
  await symlink('a.csv', join(root, 'allowed/inner-link.dat'));
  elsewhere = await listen((_, response) => response.end('secret'));
  elsewhereOrigin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  server = await listen((request, response) => {
    seen.push(request);
    const route = routes[new URL(request.url ?? '', 'http://x').pathname];
    if (route) route(request, response);
    else response.writeHead(404).end();
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  sources = new ExternalSources({
    directories: [join(root, 'alias')],
    urlPrefixes: [`${origin}/data/`],
    limits: { idleTimeoutMs: 1_000 },
  });
});

afterAll(async () => {
  await sources.close();
  server.closeAllConnections();
  server.close();
  elsewhere.close();
  await rm(root, { recursive: true });
});

const resolve = (url: string, o: Partial<ResolveOptions> = {}) =>
  sources.resolve(url, {
    directory: requestDirectory,
    signal: new AbortController().signal,
    maxBytes: 1_000_000,
    ...o,
  });
const names = async (url: string) => (await resolve(url)).paths.map((path) => path.slice(root.length + 1));

describe('local paths', () => {
  it('reads a file inside an allowed directory in place, by path, by URL and through a link', async () => {
    expect(await names(join(root, 'allowed/a.csv'))).toEqual(['allowed/a.csv']);
    expect(await names(`file://${root}/alias/deep/../a%2Ecsv`)).toEqual(['allowed/a.csv']);
    expect(await names(`FILE://localhost${root}/alias/inner-link.dat`)).toEqual(['allowed/a.csv']);
    expect(sources.directories).toEqual([join(root, 'allowed')]);
  });

  it.each([
    ['*.csv', ['a.csv', 'b.csv', 'x[1].csv']],
    ['?.csv', ['a.csv', 'b.csv']],
    ['[b-z].csv', ['b.csv']],
    ['deep/**/e.csv', ['deep/er/e.csv']],
    ['*/d.csv', ['deep/d.csv']],
    ['x[1].csv', ['x[1].csv']],
    ['{a,b}.json', ['{a,b}.json']],
    ['{a,b}.js*', ['{a,b}.json']],
    ['#!+(a) b\\c.*', ['#!+(a) b\\c.tsv']],
    ['[!b-z{#]*.csv', ['a.csv']],
  ])('expands %s', async (pattern, expected) => {
    expect(await names(join(root, 'allowed', pattern))).toEqual(expected.map((name) => `allowed/${name}`));
  });

  it('refuses paths outside before checking whether they exist', async () => {
    for (const path of [
      join(root, 'outside/secret.csv'),
      join(root, 'outside/none.csv'),
      join(root, 'allowed-not/f.csv'),
      `${root}/allowed/../outside/secret.csv`,
      `file://${root}/allowed/%2e%2e/outside/*.csv`,
      '/etc/passwd',
      '/*',
    ]) {
      await expect(resolve(path)).rejects.toMatchObject({
        name: 'LOCATION_NOT_ALLOWED',
        message: expect.stringContaining('--allow-read /'),
      });
    }
  });

  it('refuses symbolic links that lead out, named, matched or leading to nothing', async () => {
    for (const path of ['deep/link/secret.csv', 'deep/link/*.csv', 'deep/out*.csv', 'deep/link/none.csv']) {
      await expect(resolve(join(root, 'allowed', path))).rejects.toMatchObject({
        name: 'LOCATION_NOT_ALLOWED',
      });
    }
  });

  it.each([
    ['none.csv', 'FILE_NOT_FOUND', 'does not exist'],
    ['a.csv/b', 'FILE_NOT_FOUND', 'does not exist'],
    ['none/*.csv', 'FILE_NOT_FOUND', 'no file matches'],
    ['deep/*/secret.csv', 'FILE_NOT_FOUND', 'no file matches'],
    ['*.parquet', 'FILE_NOT_FOUND', 'no file matches'],
    ['deep', 'BAD_FILE', 'directory'],
  ])('answers %s with %s', async (path, name, message) => {
    await expect(resolve(join(root, 'allowed', path))).rejects.toMatchObject({
      name,
      message: expect.stringContaining(message),
    });
  });

  it.each(['relative.csv', '', 'file://host/x', '/a\0b'])('refuses the path %j', async (path) => {
    await expect(resolve(path)).rejects.toMatchObject({ name: 'INVALID_ARGUMENT' });
  });

  it('names the flag when an allowed directory does not exist', () => {
    expect(() => new ExternalSources({ directories: [join(root, 'nope')], urlPrefixes: [] })).toThrow(
      /--allow-read .*nope/,
    );
  });

  it('refuses schemes that no store serves yet', async () => {
    await expect(resolve('ftp://host/key')).rejects.toMatchObject({ name: 'NOT_SUPPORTED' });
  });
});

describe('http', () => {
  const content = async (url: string) => {
    const found = await resolve(url);
    const text = await readFile(found.paths[0]!, 'utf8');
    await found.dispose();
    await found.dispose();
    return text;
  };

  it.each([
    ['/data/plain.csv', 'a,b\n1,2\n'],
    ['/data/plain.csv?token=x#f', 'a,b\n1,2\n'],
    ['/data/zipped.csv', 'zipped'],
    ['/data/twice', 'twice'],
    ['/data/to-plain', 'a,b\n1,2\n'],
  ])('fetches %s', async (path, expected) => {
    expect(await content(origin + path)).toBe(expected);
  });

  it('keeps the extension for the kernel, and no path in the name', async () => {
    const found = await resolve(`${origin}/data/plain.csv`);
    expect(found.paths[0]).toMatch(/\/request\/external-[0-9a-f-]+-plain\.csv$/);
    await found.dispose();
  });

  it('sends user info as basic authorization and never prints it, nor the query', async () => {
    await content(`${origin.replace('//', '//me:p%40ss@')}/data/plain.csv`);
    expect(seen.at(-1)?.headers.authorization).toBe(`Basic ${btoa('me:p@ss')}`);
    await expect(resolve(`${origin.replace('//', '//me:pw@')}/data/none?sig=abc`)).rejects.toMatchObject({
      message: `${origin}/data/none?… does not exist (the server answered 404)`,
    });
  });

  it.each([
    ['/data/none', 'FILE_NOT_FOUND', '404'],
    ['/data/gone', 'FILE_NOT_FOUND', '410'],
    ['/data/forbidden', 'EXTERNAL_READ_FAILED', '403'],
    ['/data/part', 'EXTERNAL_READ_FAILED', '206'],
    ['/data/loop', 'EXTERNAL_READ_FAILED', 'more than 5 redirects'],
    ['/data/breaks-off', 'EXTERNAL_READ_FAILED', 'broke off'],
    ['/data/cut-gzip', 'EXTERNAL_READ_FAILED', 'truncated'],
    ['/data/strange-coding', 'EXTERNAL_READ_FAILED', 'rot13'],
    ['/data/silent', 'EXTERNAL_READ_FAILED', 'silent'],
    ['/data/endless', 'FILE_TOO_LARGE', 'exceeds the limit of 1000000 bytes'],
    ['/data/bomb', 'FILE_TOO_LARGE', 'exceeds the limit of 1000000 bytes'],
    ['/data/to-private', 'LOCATION_NOT_ALLOWED', '/private/secret'],
    ['/data/to-elsewhere', 'LOCATION_NOT_ALLOWED', '--allow-url'],
    ['/data/to-file', 'EXTERNAL_READ_FAILED', 'not an http(s)://'],
    ['/private/secret', 'LOCATION_NOT_ALLOWED', '--allow-url'],
    ['/database', 'LOCATION_NOT_ALLOWED', '--allow-url'],
    ['/data/../private', 'LOCATION_NOT_ALLOWED', '--allow-url'],
    ['/data/%2e%2e/private', 'LOCATION_NOT_ALLOWED', '--allow-url'],
    ['/data/..%2fprivate', 'LOCATION_NOT_ALLOWED', 'encoded'],
    ['/data/..%5Cprivate', 'LOCATION_NOT_ALLOWED', 'encoded'],
    ['//data/plain.csv', 'LOCATION_NOT_ALLOWED', '--allow-url'],
  ])('answers %s with %s and leaves no file', async (path, name, message) => {
    await expect(resolve(origin + path)).rejects.toMatchObject({
      name,
      message: expect.stringContaining(message),
    });
    expect(await readdir(requestDirectory)).toEqual([]);
  });

  it('is not fooled by hosts that only look like an allowed one', async () => {
    const lookalikes = new ExternalSources({ directories: [], urlPrefixes: ['https://good.example/data'] });
    for (const url of [
      'https://good.example.evil.com/data/x',
      'https://good.example@evil.com/data/x',
      'https://evil.com#@good.example/data/x',
      'https://evil.com\\@good.example/data/x',
      'http://good.example/data/x',
      'https://good.example:8443/data/x',
      'https://good.example/data-other/x',
    ]) {
      await expect(
        lookalikes.resolve(url, {
          directory: requestDirectory,
          signal: new AbortController().signal,
          maxBytes: 1,
        }),
        url,
      ).rejects.toMatchObject({ name: 'LOCATION_NOT_ALLOWED' });
    }
    await lookalikes.close();
  });

  it('stops when the request ends, and when the whole takes too long', async () => {
    const patient = new ExternalSources({
      directories: [],
      urlPrefixes: [origin],
      limits: { totalTimeoutMs: 200 },
    });
    const o = { directory: requestDirectory, maxBytes: 1, signal: AbortSignal.timeout(50) };
    await expect(patient.resolve(`${origin}/data/silent`, o)).rejects.toMatchObject({
      name: 'QUERY_CANCELLED',
    });
    await expect(
      patient.resolve(`${origin}/data/silent`, { ...o, signal: new AbortController().signal }),
    ).rejects.toMatchObject({ name: 'EXTERNAL_READ_FAILED', message: expect.stringContaining('0.2 s') });
    expect(await readdir(requestDirectory)).toEqual([]);
    await patient.close();
  });

  it.each(['good.example', 'ftp://x', 'https://u:p@x/', 'https://x/?q'])(
    'refuses the prefix %s',
    (prefix) => {
      expect(() => new ExternalSources({ directories: [], urlPrefixes: [prefix] })).toThrow(/--allow-url/);
    },
  );

  it('says so when nothing listens', async () => {
    const lonely = await listen(() => {});
    const port = (lonely.address() as AddressInfo).port;
    await new Promise((done) => lonely.close(done));
    const o = { directory: requestDirectory, maxBytes: 1, signal: new AbortController().signal };
    const one = new ExternalSources({ directories: [], urlPrefixes: [`http://127.0.0.1:${port}`] });
    await expect(one.resolve(`http://127.0.0.1:${port}/x`, o)).rejects.toMatchObject({
      name: 'EXTERNAL_READ_FAILED',
      message: expect.stringContaining('refused'),
    });
    await one.close();
  });
});
