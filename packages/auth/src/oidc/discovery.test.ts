import { expect, it } from 'vitest';
import { ProviderError } from './fetch-document.ts';
import { checkDiscovery } from './provider.ts';

const check = (document: Record<string, unknown>, url: string) => checkDiscovery(document, new URL(url));
const KEYS = { jwks_uri: 'https://login/keys' };

it.each([
  ['https://login/.well-known/openid-configuration', 'https://login'],
  ['https://login/.well-known/openid-configuration', 'https://login/'],
  ['https://login/realms/a/.well-known/openid-configuration', 'https://login/realms/a'],
  ['https://login/realms/a/.well-known/openid-configuration?appid=1', 'https://login/realms/a/'],
  ['https://login/oauth2/default/.well-known/oauth-authorization-server', 'https://login/oauth2/default'],
])('%s may be of %s', (url, issuer) => {
  expect(check({ issuer, ...KEYS }, url)).toEqual({ issuer, jwksUri: new URL(KEYS.jwks_uri) });
});

it.each([
  ['https://login/a/.well-known/openid-configuration', 'https://login/b'],
  ['https://login/a/.well-known/openid-configuration', 'https://login'],
  ['https://login/.well-known/openid-configuration', 'http://login'],
  ['https://login/.well-known/openid-configuration', 'https://login.evil'],
  ['https://login/.well-known/openid-configuration', 'https://login//'],
  ['https://login/common/v2.0/.well-known/openid-configuration', 'https://login/{tenantid}/v2.0'],
  ['https://login/', 'https://login/a'],
])('%s may not be of %s', (url, issuer) => {
  expect(() => check({ issuer, ...KEYS }, url)).toThrow(ProviderError);
});

it.each([
  [{}, 'no issuer'],
  [{ issuer: 7 }, 'no issuer'],
  [{ issuer: 'https://login' }, 'no jwks_uri'],
  [{ issuer: 'https://login', jwks_uri: 'keys' }, 'no jwks_uri'],
  [{ issuer: 'https://login', jwks_uri: 'file:///etc/keys' }, 'no jwks_uri'],
  [{ issuer: 'https://login', jwks_uri: 'http://login/keys' }, 'is not an https:// URL'],
])('%j is refused', (document, message) => {
  expect(() => check(document, 'https://login/.well-known/openid-configuration')).toThrow(message);
});
