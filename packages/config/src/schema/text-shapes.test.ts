import { expect, it } from 'vitest';
import { isClaimTemplate, isDiscoveryUrl } from './text-shapes.ts';

it.each([
  ['{{ sub }}', true],
  ['{{sub}}', true],
  ['x-{{ a }}|{{ b.c }}@y', true],
  ['{{ https://example.com/user }}', true],
  ['{{ a }} {{ b }}', true],
  ['', false],
  ['sub', false],
  ['{{ }}', false],
  ['{{ a b }}', false],
  ['{{ a }}{{ b }}', false],
  ['{{ a }}}}', false],
  ['{{ {{ a }}', false],
])('%j is a template of claims: %s', (text, expected) => {
  expect(isClaimTemplate(text)).toBe(expected);
});

it.each([
  ['https://login/.well-known/openid-configuration', true],
  ['http://login:8080/realms/a/.well-known/openid-configuration?appid=1', true],
  ['https://login/.well-known/oauth-authorization-server', true],
  ['https://login/', false],
  ['https://login/.well-known/', false],
  ['https://login/?x=/.well-known/openid-configuration', false],
  ['ftp://login/.well-known/openid-configuration', false],
  ['login/.well-known/openid-configuration', false],
])('%j is the URL of a discovery document: %s', (text, expected) => {
  expect(isDiscoveryUrl(text)).toBe(expected);
});
