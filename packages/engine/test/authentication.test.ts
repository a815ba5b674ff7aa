import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { query } from './http.ts';
import {
  ADMIN,
  INSTANCE,
  logIn,
  queryAs,
  requestToken,
  writeNativeConfig,
  writeSigningKey,
} from './native-node.ts';
import { MAIN } from './programs.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tessera-auth-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Texts that no log may contain. */
const secrets = new Set<string>([ADMIN.password, 'hunter2', 'hunter3']);

let directory: string;
let node: TesseraProcess;
let token: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-auth-'));
  const signing_keys = [writeSigningKey(directory, 'one')];
  const logging = { level: 'trace' };
  const native = { signing_keys, signing_algorithm: 'ES256' };
  node = await startTessera({ args: ['--config', writeNativeConfig(directory, native, { logging })] });
  token = await logIn(node);
  secrets.add(token);
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const SELECT_USER = 'SELECT current_user';

describe('a statement', () => {
  it("runs for a user with a token, under that user's name", async () => {
    const answer = await queryAs(token, node, SELECT_USER);
    expect(answer.json().data).toEqual([[ADMIN.name]]);
  });

  it.each([
    ['no token', undefined, 'Bearer realm="tessera"'],
    ['another scheme', 'Basic YWRtaW46eA==', 'Bearer realm="tessera"'],
    ['garbage', 'Bearer garbage', /^Bearer realm="tessera", error="invalid_token", error_description=/],
    ['no token after its name', 'Bearer', /error="invalid_token"/],
  ])('with %s is refused with a challenge', async (_what, authorization, challenge) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const answer = await query(node, SELECT_USER, {}, headers);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toEqual(
      typeof challenge === 'string' ? challenge : expect.stringMatching(challenge),
    );
    expect(answer.json().errors[0].name).toBe('UNAUTHENTICATED');
  });

  it.each(['/', '/query', '/oauth/other', '/cancel?query_id=x', '/health/ready'])(
    'a token is asked for at POST %s',
    async (path) => {
      const answer = await fetch(node.url + path, { method: 'POST', body: 'SELECT 1' });
      expect(answer.status).toBe(401);
    },
  );

  it.each(['/web/v3/account/mine/engineUrl', '/nothing'])('a token is asked for at GET %s', async (path) => {
    expect((await fetch(node.url + path)).status).toBe(401);
  });

  it.each(['/ping', '/', '/health/live', '/health/ready', '/.well-known/firebolt', '/oauth/jwks'])(
    'no token is required at GET %s',
    async (path) => {
      expect((await fetch(node.url + path)).status).toBe(200);
    },
  );

  it('is accepted under any host name of a proxy, but not from a page of another origin', async () => {
    const { port } = new URL(node.url);
    const ask = (...headers: string[]) => {
      const given = [`Authorization: Bearer ${token}`, ...headers].flatMap((header) => ['-H', header]);
      const args = ['-s', '-o', '/dev/null', '-w', '%{http_code}', ...given, '-d', SELECT_USER];
      return execFileSync('curl', [...args, `http://127.0.0.1:${port}/`]).toString();
    };
    expect(ask('Host: tessera.example.com')).toBe('200');
    expect(ask('Authorization: Bearer another')).toBe('400');
    expect(ask('Sec-Fetch-Site: cross-site')).toBe('403');
  });

  it('a token in the URL is not accepted, and is not a setting', async () => {
    expect((await query(node, SELECT_USER, { access_token: token })).status).toBe(401);
  });
});

/** Opens a connection and sends the head of a request without its body. */
async function sendHead(lines: readonly string[]): Promise<Socket> {
  const { hostname, port, host } = new URL(node.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write([...lines, `Host: ${host}`, '', ''].join('\r\n'));
  return socket;
}

describe('an upload of a stranger', () => {
  const head = [
    'POST / HTTP/1.1',
    'Content-Type: multipart/form-data; boundary=b',
    `Content-Length: ${10 ** 9}`,
  ];

  it('is refused after its headers, and leaves nothing on disk', async () => {
    const socket = await sendHead(head);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
    socket.destroy();
    expect(await readdir(join(node.dataDirectory, 'uploads'))).toEqual([]);
  });

  it('is refused before the client sends it, and the connection ends', async () => {
    const socket = await sendHead([...head, 'Expect: 100-continue']);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toMatch(/^connection: close\r$/im);
  });

  it('is not read further if it is sent nevertheless, and the connection is closed', async () => {
    const socket = await sendHead(head);
    const chunk = Buffer.alloc(1 << 20);
    const closed = once(socket, 'close').catch(() => undefined);
    socket.on('error', () => undefined);
    const answer = once(socket, 'data') as Promise<[Buffer]>;
    while (!socket.destroyed) {
      if (!socket.write(chunk)) await Promise.race([once(socket, 'drain').catch(() => undefined), closed]);
    }
    expect((await answer).toString()).toMatch(/^HTTP\/1\.1 401 /);
    expect(socket.bytesWritten).toBeLessThan(100 << 20);
  });

  it('is answered even if the client does not wait for permission to send', async () => {
    const answer = await fetch(node.url, { method: 'POST', body: Buffer.alloc(50 << 20) });
    expect(answer.status).toBe(401);
  });

  it('an authenticated upload is accepted', async () => {
    const socket = await sendHead([...head, `Authorization: Bearer ${token}`, 'Expect: 100-continue']);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 100 Continue/);
    socket.destroy();
    const file = join(directory, 'large.csv');
    await writeFile(file, 'row\n'.repeat(1_000_000));
    const sql = "sql=SELECT count(*) FROM READ_CSV('upload://f')";
    const form = ['--form-string', sql, '--form', `f=@${file}`, '-H', `Authorization: Bearer ${token}`];
    const { stderr, stdout } = spawnSync('curl', ['-sv', ...form, node.url], { encoding: 'utf8' });
    expect(stderr).toContain('100 Continue');
    expect(stdout).toContain('1000000');
  });
});

describe('the token endpoint', () => {
  it('returns three fields, which must not be cached', async () => {
    const form = { grant_type: 'client_credentials', client_id: ADMIN.name, client_secret: ADMIN.password };
    const { status, headers, json } = await requestToken(node, form);
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['access_token', 'token_type', 'expires_in']);
    expect(json).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    expect(headers.get('cache-control')).toBe('no-store');
    secrets.add(String(json.access_token));
  });

  it('accepts HTTP Basic from curl', () => {
    const user = `${ADMIN.name}:${encodeURIComponent(ADMIN.password)}`;
    const args = ['-s', '-u', user, '-d', 'grant_type=client_credentials', `${node.url}/oauth/token`];
    const answer = JSON.parse(execFileSync('curl', args).toString()) as { access_token: string };
    secrets.add(answer.access_token);
    const bearer = `Authorization: Bearer ${answer.access_token}`;
    const rows = execFileSync('curl', ['-s', '-H', bearer, '--data-binary', SELECT_USER, node.url]);
    expect(rows.toString()).toContain('admin');
  });

  it('returns the errors of RFC 6749', async () => {
    const basic = { authorization: `Basic ${Buffer.from('admin:hunter3').toString('base64')}` };
    const wrong = { client_id: ADMIN.name, client_secret: 'hunter2' };
    const cases = [
      [{}, {}, 400, 'invalid_request'],
      [{ grant_type: 'refresh_token' }, {}, 400, 'unsupported_grant_type'],
      [{ grant_type: 'client_credentials', ...wrong }, {}, 401, 'invalid_client'],
      [{ grant_type: 'client_credentials' }, basic, 401, 'invalid_client'],
      [{ grant_type: 'password', username: 'nobody', password: 'hunter2' }, {}, 400, 'invalid_grant'],
      [{ grant_type: 'client_credentials', ...wrong, resource: 'https://other' }, {}, 400, 'invalid_target'],
    ] as const;
    for (const [form, headers, status, error] of cases) {
      const answer = await requestToken(node, form, headers);
      expect([answer.status, answer.json.error]).toEqual([status, error]);
      expect(Object.keys(answer.json)).toEqual(['error', 'error_description']);
      expect(answer.headers.get('www-authenticate')).toEqual(
        status === 401 ? 'Basic realm="tessera", charset="UTF-8"' : null,
      );
    }
  });

  it.each([
    ['JSON', '{}', { 'content-type': 'application/json' }, 400],
    [
      'more than fits',
      `x=${'x'.repeat(20_000)}`,
      { 'content-type': 'application/x-www-form-urlencoded' },
      413,
    ],
    ['a parameter twice', 'scope=a&scope=b', { 'content-type': 'application/x-www-form-urlencoded' }, 400],
  ])('takes no %s', async (_what, body, headers, status) => {
    const answer = await fetch(`${node.url}/oauth/token`, { method: 'POST', body, headers });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
  });
});

it('the discovery document says how to log in', async () => {
  const document = await (await fetch(`${node.url}/.well-known/firebolt`)).json();
  expect(document).toMatchObject({
    instance: {
      auth: {
        oauth: {
          protectedResource: { resource: INSTANCE },
          authorizationServers: [
            {
              name: '_local',
              issuer: INSTANCE,
              token_endpoint: `${node.url}/oauth/token`,
              jwks_uri: `${node.url}/oauth/jwks`,
            },
          ],
        },
      },
    },
    query_url: node.url,
  });
  const { keys } = (await (await fetch(`${node.url}/oauth/jwks`)).json()) as { keys: object[] };
  expect(keys).toEqual([expect.objectContaining({ kid: 'one', alg: 'ES256', kty: 'EC' })]);
  expect(keys[0]).not.toHaveProperty('d');
});

it('tessera query logs in with a password', async () => {
  const passwordFile = join(directory, 'password');
  await writeFile(passwordFile, `${ADMIN.password}\n`, { mode: 0o600 });
  const args = ['query', '-u', node.url, '--user', ADMIN.name, '--password-file', passwordFile];
  const out = execFileSync(process.execPath, [MAIN, ...args, '--format', 'tsv', SELECT_USER]);
  expect(out.toString()).toContain(ADMIN.name);
});

it('users created by statements can log in until they are dropped or their password changes', async () => {
  await queryAs(token, node, "CREATE USER bob WITH PASSWORD = 'secret of bob'");
  secrets.add('secret of bob');
  const bob = await logIn(node, { name: 'bob', password: 'secret of bob' });
  secrets.add(bob);
  expect((await queryAs(bob, node, SELECT_USER)).json().data).toEqual([['bob']]);
  await queryAs(token, node, "ALTER USER bob SET PASSWORD = 'another of bob'");
  secrets.add('another of bob');
  expect((await queryAs(bob, node, SELECT_USER)).status).toBe(401);
  const again = await logIn(node, { name: 'bob', password: 'another of bob' });
  await queryAs(token, node, 'DROP USER bob');
  expect((await queryAs(again, node, SELECT_USER)).status).toBe(401);
});

it('the log contains no secrets at any level', () => {
  const log = node.log.map((record) => JSON.stringify(record)).join('\n');
  expect(log).toContain('login refused');
  for (const secret of secrets) expect(log).not.toContain(secret);
  expect(log).not.toMatch(/Bearer [\w-]|"authorization"/i);
});

const RESTARTS = { timeout: 120_000 };

/** Starts a node that is stopped at the end of the test, whatever its outcome. */
async function startOnce(config: string, dataDirectory: string): Promise<TesseraProcess> {
  const started = await startTessera({ args: ['--config', config], dataDirectory });
  onTestFinished(() => void started.child.kill('SIGKILL'));
  return started;
}

describe('over restarts', RESTARTS, () => {
  it('tokens are valid as long as their key: two keys exist while one replaces the other', async () => {
    const place = temporaryDirectory();
    const [one, two] = [writeSigningKey(place, 'one'), writeSigningKey(place, 'two')];
    const start = (signing_keys: readonly object[]) => {
      const config = writeNativeConfig(place, { signing_keys, signing_algorithm: 'ES256' });
      return startOnce(config, join(place, 'data'));
    };
    let running = await start([one]);
    const old = await logIn(running);
    await running.stop();

    running = await start([two, one]);
    expect((await queryAs(old, running, SELECT_USER)).status).toBe(200);
    const fresh = await logIn(running);
    await running.stop();

    running = await start([two]);
    expect((await queryAs(old, running, SELECT_USER)).status).toBe(401);
    expect((await queryAs(fresh, running, SELECT_USER)).status).toBe(200);
    await running.stop();
  });

  it('the initial user is made once: a changed password stays, whatever the configuration says', async () => {
    const place = temporaryDirectory();
    const dataDirectory = join(place, 'data');
    const config = writeNativeConfig(place);
    const first = await startOnce(config, dataDirectory);
    await queryAs(await logIn(first), first, "ALTER USER admin SET PASSWORD = 'changed password'");
    await first.stop();
    const second = await startOnce(config, dataDirectory);
    await expect(logIn(second)).rejects.toThrow('wrong');
    const changed = { name: ADMIN.name, password: 'changed password' };
    expect(await logIn(second, changed)).not.toBe('');
    const warned = (server: TesseraProcess) =>
      server.log.filter(({ level }) => level === 'warn').map(({ msg }) => String(msg).split(':')[0]);
    expect(warned(first).join()).not.toContain('initial_user');
    expect(warned(second)).toContain('auth.native.initial_user.password is not the password of this user');
    await second.stop();
    const other = { initial_user: { name: 'another', password: ADMIN.password } };
    const third = await startOnce(writeNativeConfig(place, other), dataDirectory);
    await expect(logIn(third, other.initial_user)).rejects.toThrow('wrong');
    expect(warned(third).join()).toContain('auth.native.initial_user is not in the catalog');
    await third.stop();
  });
});

it('a token expires', async () => {
  const place = temporaryDirectory();
  const jwt = { token_expiry: '1s', clock_skew_tolerance: '0s' };
  await using brief = await startTessera({ args: ['--config', writeNativeConfig(place, { jwt })] });
  const short = await logIn(brief);
  const status = async () => (await queryAs(short, brief, SELECT_USER)).status;
  await expect.poll(status, { interval: 100 }).toBe(401);
});

it('a password of the configuration may come from the environment; a Unix socket requires a token too', async () => {
  const place = temporaryDirectory();
  const reference = ['$', '{env:ADMIN_PASSWORD}'].join('');
  const path = join(place, 'tessera.sock');
  const endpoints = { http: { listeners: [{ type: 'unix', path }] } };
  const native = { initial_user: { name: 'root', password: reference } };
  const config = writeNativeConfig(place, native, { endpoints });
  await expect(startTessera({ args: ['--config', config] })).rejects.toThrow(
    'auth.native.initial_user.password: the environment variable ADMIN_PASSWORD is not set',
  );
  const env = { ADMIN_PASSWORD: 'from the environment' };
  await using running = await startTessera({ args: ['--config', config], env });
  expect(running.url).toBe(`unix:${path}`);
  const curl = (...args: string[]) => execFileSync('curl', ['-s', '--unix-socket', path, ...args]).toString();
  const login = ['-d', 'grant_type=password', '-d', 'username=root', '-d', `password=${env.ADMIN_PASSWORD}`];
  const { access_token: rootToken } = JSON.parse(curl(...login, 'http://x/oauth/token')) as {
    access_token: string;
  };
  const ask = (...more: string[]) => curl('-d', SELECT_USER, ...more, 'http://x/');
  expect(ask()).toContain('UNAUTHENTICATED');
  expect(ask('-H', `Authorization: Bearer ${rootToken}`)).toContain('root');
});
