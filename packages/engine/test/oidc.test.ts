import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type DatabaseError } from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { query } from './http.ts';
import { type OpenIdProvider, startOpenIdProvider } from './openid-provider.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

vi.setConfig({ testTimeout: 120_000 });

const INSTANCE = 'https://tessera.example';

async function provider(port?: number): Promise<OpenIdProvider> {
  const started = await startOpenIdProvider(['alice', 'bob'], port);
  onTestFinished(() => started.kill());
  return started;
}

interface NodeOptions {
  readonly jit?: boolean;
  readonly passwords?: boolean;
  readonly dataDirectory?: string;
}

async function startNode(
  discoveryUrl: string,
  { jit = true, passwords = false, ...started }: NodeOptions = {},
): Promise<TesseraProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-oidc-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const config = join(directory, 'config.yaml');
  const oidc = {
    postgres_password_fallback_enabled: passwords,
    providers: [
      {
        name: 'test',
        discovery_url: discoveryUrl,
        username_mapping: 'sso:{{ sub }}',
        jit_provisioning: { enabled: jit },
        jwks: { cache_ttl: '5s' },
      },
    ],
  };
  const auth = { mode: 'oidc', instance_id: INSTANCE, oidc };
  await writeFile(config, JSON.stringify({ schema_version: '1.0', auth }));
  return startTessera({ args: ['--config', config, '--postgres-port', '0'], ...started });
}

const as = (node: TesseraProcess, token: string, sql = 'SELECT session_user') =>
  query(node, sql, { output_format: 'JSON_Compact' }, { authorization: `Bearer ${token}` });
/**
 * The user that a PostgreSQL client with this user and password is logged in as, or the SQLSTATE of the
 * refusal.
 */
async function connected(node: TesseraProcess, user: string, password: string): Promise<unknown> {
  const [host = '', port] = node.postgres.split(':');
  const client = new Client({ host, port: Number(port), user, password, database: 'tessera' });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query('SELECT session_user AS name')).rows[0].name;
  } catch (error) {
    return (error as DatabaseError).code;
  } finally {
    await client.end();
  }
}

const logged = (node: TesseraProcess) => node.log.map((line) => String(line.msg));

it('a token of the provider opens HTTP, makes its user, and goes on doing so while the provider is gone', async () => {
  const idp = await provider();
  await using node = await startNode(idp.discoveryUrl);
  const token = await idp.token('alice', INSTANCE);

  const anonymous = await query(node, 'SELECT 1');
  expect(anonymous.status).toBe(401);
  expect(anonymous.headers.get('www-authenticate')).toMatch(/^Bearer/);
  expect((await as(node, 'a.b.c')).status).toBe(401);
  expect((await as(node, await idp.token('alice', 'https://other.example'))).status).toBe(401);

  expect((await as(node, token)).json().data).toEqual([['sso:alice']]);
  const users = await as(node, token, 'SELECT user_name FROM information_schema.users');
  expect(users.json().data).toContainEqual(['sso:alice']);

  const discovered = await (await fetch(`${node.url}/.well-known/firebolt`)).json();
  expect(JSON.stringify(discovered)).toContain('"name":"test"');
  // Many concurrent requests of a new user create one user.
  const bob = await idp.token('bob', INSTANCE);
  const answers = await Promise.all(Array.from({ length: 10 }, () => as(node, bob)));
  expect(answers.map((answer) => answer.json().data)).toEqual(Array(10).fill([['sso:bob']]));
  const created = () => logged(node).filter((message) => message === 'user created at first login').length;
  await expect.poll(created).toBe(2);

  await idp.kill();
  await expect
    .poll(() => logged(node), { timeout: 20_000 })
    .toContain('the key set could not be read; the last one stays in use');
  expect((await as(node, token)).json().data).toEqual([['sso:alice']]);
  for (const part of token.split('.')) expect(JSON.stringify(node.log)).not.toContain(part);
});

it('a node starts while the provider is down, and accepts tokens once it is up', async () => {
  const first = await provider();
  await first.kill();
  await using node = await startNode(first.discoveryUrl);
  const early = await as(node, 'a.b.c');
  expect(early.status).toBe(401);
  expect(early.text).toContain('the OpenID provider has not answered yet');
  const idp = await provider(first.port);
  const token = await idp.token('bob', INSTANCE);
  await expect.poll(async () => (await as(node, token)).status, { timeout: 20_000 }).toBe(200);
});

it('without jit_provisioning an unknown user is refused, and the log says who', async () => {
  const idp = await provider();
  await using node = await startNode(idp.discoveryUrl, { jit: false });
  expect((await as(node, await idp.token('alice', INSTANCE))).status).toBe(401);
  await expect
    .poll(() => node.log.map((line) => line.reason), { timeout: 20_000 })
    .toContain('unknown user sso:alice');
});

it('on the PostgreSQL wire a token stands in place of the password of its own user', async () => {
  const idp = await provider();
  await using node = await startNode(idp.discoveryUrl);
  const token = await idp.token('alice', INSTANCE);
  expect(await connected(node, 'sso:alice', token)).toBe('sso:alice');
  expect(await connected(node, 'tessera', token)).toBe('28P01');
  expect(await connected(node, 'sso:alice', await idp.token('alice', 'https://other.example'))).toBe('28P01');
  expect(await connected(node, 'sso:alice', 'secret')).toBe('28P01');
});

it('users and passwords created while auth.mode was disabled remain valid', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tessera-oidc-'));
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }));
  const before = await startTessera({ dataDirectory });
  for (const sql of [
    "ALTER USER tessera PASSWORD 'correct horse'",
    'CREATE USER "sso:bob"',
    'GRANT ROLE system_admin TO "sso:bob"',
  ])
    expect((await query(before, sql)).status).toBe(200);
  await before.stop();
  const idp = await provider();
  await using node = await startNode(idp.discoveryUrl, { passwords: true, dataDirectory });
  const [alice, bob] = [await idp.token('alice', INSTANCE), await idp.token('bob', INSTANCE)];
  expect((await as(node, bob, 'CREATE DATABASE of_bob')).status).toBe(200);
  expect((await as(node, alice, 'CREATE DATABASE of_alice')).status).toBe(403);
  expect(await connected(node, 'tessera', 'correct horse')).toBe('tessera');
  expect(await connected(node, 'tessera', 'battery staple')).toBe('28P01');
  expect(await connected(node, 'sso:alice', alice)).toBe('sso:alice');
});
