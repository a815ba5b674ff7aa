import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '@tessera/config';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openObjectStore } from './open-object-store.ts';
import {
  type InterceptedAnswer,
  InterceptedHttps,
  type InterceptedRequest,
} from './testing/intercepted-https.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-identity-'));
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rm(directory, { recursive: true }));

/** Requests an object that does not exist from the store of a configuration. */
async function asked(storage: object): Promise<void> {
  const { config } = parseConfig(JSON.stringify({ schema_version: '1.0', storage }), 'test');
  const store = await openObjectStore(config, { dataDirectory: directory });
  expect(await store.get('a')).toBeUndefined();
  await store.close();
}

async function intercepted(
  answer: (request: InterceptedRequest) => InterceptedAnswer,
): Promise<InterceptedHttps> {
  const proxy = new InterceptedHttps(answer);
  vi.stubEnv('HTTPS_PROXY', await proxy.start());
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  return proxy;
}

const json = (value: object, status = 200): InterceptedAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

describe('the store is reached through the identity that the configuration names', () => {
  it('storage.aws.intermediary_access_role: a role is assumed, and its keys sign the request', async () => {
    const seen: string[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const part of request) body += String(part);
      seen.push(`${body} ${request.headers.authorization ?? ''}`);
      const isToken = body.includes('AssumeRole');
      const missing = '<Error><Code>NoSuchKey</Code><Message>no</Message></Error>';
      const keys =
        '<AccessKeyId>KEYOFROLE</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration>';
      response
        .writeHead(isToken ? 200 : 404, { 'content-type': 'text/xml' })
        .end(
          isToken
            ? `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>${keys}</Credentials></AssumeRoleResult></AssumeRoleResponse>`
            : missing,
        );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    vi.stubEnv('AWS_ENDPOINT_URL_STS', endpoint);
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'OWNKEY');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'own');
    const role = 'arn:aws:iam::1:role/tables';
    const place = { type: 's3', bucket_name: 'tables', default_s3_endpoint_override: endpoint };
    await asked({ ...place, aws: {} });
    expect(seen.map((one) => /Credential=(\w+)/.exec(one)?.[1])).toEqual(['OWNKEY']);
    await asked({ ...place, aws: { intermediary_access_role: role } });
    server.closeAllConnections();
    server.close();
    expect(seen[1]).toContain(`RoleArn=${encodeURIComponent(role)}`);
    expect(seen.slice(1).map((one) => /Credential=(\w+)/.exec(one)?.[1])).toEqual(['OWNKEY', 'KEYOFROLE']);
  });

  it('storage.gcp.intermediary_service_account_id: the account is impersonated', async () => {
    const credentials = join(directory, 'gcp.json');
    const user = { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r' };
    await writeFile(credentials, JSON.stringify(user));
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', credentials);
    const account = 'tables@company.iam.gserviceaccount.com';
    await using proxy = await intercepted(({ host }) => {
      if (host === 'oauth2.googleapis.com')
        return json({ access_token: 'own', expires_in: 3_600, token_type: 'Bearer' });
      if (host === 'iamcredentials.googleapis.com')
        return json({ accessToken: 'of-account', expireTime: '2099-01-01T00:00:00Z' });
      return json({ error: { code: 404, message: 'No such object: tables/a' } }, 404);
    });
    await asked({
      type: 'gcs',
      bucket_name: 'tables',
      gcp: { intermediary_service_account_id: account },
    });
    const [impersonation] = proxy.requests.filter(({ host }) => host === 'iamcredentials.googleapis.com');
    expect(decodeURIComponent(impersonation!.path)).toContain(
      `serviceAccounts/${account}:generateAccessToken`,
    );
    expect(impersonation!.authorization).toBe('Bearer own');
    const objects = proxy.requests.filter(({ host }) => host === 'storage.googleapis.com');
    expect(objects.map(({ authorization }) => authorization)).toContain('Bearer of-account');
  });

  it('storage.azure.intermediary_service_principal_client_id: its token is asked for', async () => {
    const token = join(directory, 'federated-token');
    await writeFile(token, 'assertion-of-this-process');
    vi.stubEnv('AZURE_FEDERATED_TOKEN_FILE', token);
    vi.stubEnv('AZURE_TENANT_ID', '11111111-1111-1111-1111-111111111111');
    await using proxy = await intercepted(({ host, path }) => {
      if (host.endsWith('blob.core.windows.net'))
        return { status: 404, headers: { 'x-ms-error-code': 'BlobNotFound' }, body: '' };
      if (path.includes('discovery/instance'))
        return json({
          tenant_discovery_endpoint: 'https://login.microsoftonline.com/t/.well-known/openid-configuration',
          metadata: [],
        });
      if (path.includes('openid-configuration'))
        return json({
          token_endpoint: 'https://login.microsoftonline.com/t/oauth2/v2.0/token',
          authorization_endpoint: 'https://login.microsoftonline.com/t/oauth2/v2.0/authorize',
          issuer: 'https://login.microsoftonline.com/t/v2.0',
          jwks_uri: 'https://login.microsoftonline.com/t/keys',
        });
      return json({ access_token: 'of-principal', expires_in: 3_600, token_type: 'Bearer' });
    });
    await asked({
      type: 'abs',
      bucket_name: 'tables',
      azure: {
        storage_account_name: 'company',
        intermediary_service_principal_client_id: 'principal-of-the-other-tenant',
      },
    });
    const [grant] = proxy.requests.filter(({ body }) => body.includes('client_assertion='));
    expect(grant!.body).toContain('client_id=principal-of-the-other-tenant');
    expect(grant!.body).toContain('client_assertion=assertion-of-this-process');
    const blobs = proxy.requests.filter(({ host }) => host === 'company.blob.core.windows.net');
    expect(blobs.map(({ authorization }) => authorization)).toContain('Bearer of-principal');
  });
});
