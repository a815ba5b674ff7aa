import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { query } from './http.ts';
import { type OpenIdProvider, startOpenIdProvider } from './openid-provider.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

const INSTANCE = 'https://tessera.example';

async function provider(port?: number): Promise<OpenIdProvider> {
  const started = await startOpenIdProvider(['alice', 'bob'], port);
  onTestFinished(() => started.kill());
  return started;
}

async function startNode(discoveryUrl: string, jit: boolean): Promise<TesseraProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-oidc-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const config = join(directory, 'config.yaml');
  const oidc = {
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
  return startTessera({ args: ['--config', config] });
}

const as = (node: TesseraProcess, token: string, sql = 'SELECT session_user') =>
  query(node, sql, { output_format: 'JSON_Compact' }, { authorization: `Bearer ${token}` });
const logged = (node: TesseraProcess) => node.log.map((line) => String(line.msg));

it('a token of the provider opens HTTP, makes its user, and goes on doing so while the provider is gone', async () => {
  const idp = await provider();
  await using node = await startNode(idp.discoveryUrl, true);
  const token = await idp.token('alice', INSTANCE);

  const anonymous = await query(node, 'SELECT 1');
  expect(anonymous.status).toBe(401);
  expect(anonymous.headers.get('www-authenticate')).toMatch(/^Bearer/);
  expect((await as(node, 'a.b.c')).status).toBe(401);
  expect((await as(node, await idp.token('alice', 'https://other.example'))).status).toBe(401);

  expect((await as(node, token)).json().data).toEqual([['sso:alice']]);
  const users = await as(node, token, 'SELECT user_name FROM information_schema.users');
  expect(users.json().data).toContainEqual(['sso:alice']);

  await idp.kill();
  await expect
    .poll(() => logged(node), { timeout: 20_000 })
    .toContain('the key set could not be read; the last one stays in use');
  expect((await as(node, token)).json().data).toEqual([['sso:alice']]);
  for (const part of token.split('.')) expect(JSON.stringify(node.log)).not.toContain(part);
});

it('a node starts while the provider is down, and takes tokens once it is up', async () => {
  const first = await provider();
  await first.kill();
  await using node = await startNode(first.discoveryUrl, true);
  const early = await as(node, 'a.b.c');
  expect(early.status).toBe(401);
  expect(early.text).toContain('the OpenID provider has not answered yet');
  const idp = await provider(first.port);
  const token = await idp.token('bob', INSTANCE);
  await expect.poll(async () => (await as(node, token)).status, { timeout: 20_000 }).toBe(200);
});

it('without jit_provisioning an unknown user is refused, and the log says who', async () => {
  const idp = await provider();
  await using node = await startNode(idp.discoveryUrl, false);
  expect((await as(node, await idp.token('alice', INSTANCE))).status).toBe(401);
  expect(node.log.map((line) => line.reason)).toContain('unknown user sso:alice');
});
