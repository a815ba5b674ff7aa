import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { discoveryDocument, type TokenSource } from './discovery.ts';

function documentOf(tokens: TokenSource): object {
  const request = new IncomingMessage(new Socket());
  request.headers.host = 'tessera.example:3473';
  return discoveryDocument(request, { id: 'instance', audience: 'https://tessera.example', tokens });
}

it('says that authentication is off', () => {
  expect(documentOf({ kind: 'none' })).toEqual({
    instance: { id: 'instance', auth: null },
    query_url: 'http://tessera.example:3473',
  });
});

it('names the provider that issues tokens, and where its own document is', () => {
  const discoveryUrl = 'https://login.example/.well-known/openid-configuration';
  expect(documentOf({ kind: 'provider', name: 'login', discoveryUrl })).toMatchObject({
    instance: {
      auth: {
        oauth: {
          protectedResource: { resource: 'https://tessera.example' },
          authorizationServers: [{ name: 'login', openid_configuration: discoveryUrl }],
          preferredAuthorizationServer: 'login',
        },
      },
    },
  });
});
