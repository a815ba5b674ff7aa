import { describe, expect, it } from 'vitest';
import { readTokenRequest } from './token-request.ts';

const AUDIENCE = 'https://tessera.example';

const read = (form: Record<string, string>, authorization?: string) =>
  readTokenRequest(new Map(Object.entries(form)), authorization, AUDIENCE);
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const client = { grant_type: 'client_credentials' };

describe('client_credentials', () => {
  it('takes name and password from the body', () => {
    expect(read({ ...client, client_id: 'alice', client_secret: 's' })).toEqual({
      grant: 'client_credentials',
      name: 'alice',
      password: 's',
    });
  });

  it('takes them by HTTP Basic, form-encoded', () => {
    expect(read(client, basic('al%3Aice:p%2Bw:+d%C3%A4'))).toMatchObject({
      name: 'al:ice',
      password: 'p+w: dä',
    });
  });

  it('takes the instance as resource', () => {
    expect(read({ ...client, resource: AUDIENCE }, basic('a:b'))).toMatchObject({ name: 'a' });
  });
});

it('the password grant takes them from the body', () => {
  expect(read({ grant_type: 'password', username: 'alice', password: 's', scope: 'all' })).toEqual({
    grant: 'password',
    name: 'alice',
    password: 's',
  });
});

it.each([
  ['no grant', {}, undefined, 'invalid_request'],
  ['a grant of no kind', { grant_type: 'refresh_token' }, undefined, 'unsupported_grant_type'],
  ['no client', client, undefined, 'invalid_request'],
  ['no secret', { ...client, client_id: 'a' }, undefined, 'invalid_request'],
  ['both ways at once', { ...client, client_id: 'a', client_secret: 'b' }, basic('a:b'), 'invalid_request'],
  ['two clients', { ...client, client_id: 'c' }, basic('a:b'), 'invalid_request'],
  ['another scheme', client, 'Bearer abc', 'invalid_client'],
  ['Basic of no name', client, basic(':b'), 'invalid_client'],
  ['Basic without a colon', client, basic('ab'), 'invalid_client'],
  ['Basic that is not form-encoded', client, basic('a:%'), 'invalid_client'],
  ['a user without password', { grant_type: 'password', username: 'a' }, undefined, 'invalid_request'],
  [
    'a user by Basic',
    { grant_type: 'password', username: 'a', password: 'b' },
    basic('a:b'),
    'invalid_request',
  ],
  ['another instance', { ...client, resource: 'https://other' }, basic('a:b'), 'invalid_target'],
])('%s is refused', (_name, form, authorization, code) => {
  expect(() => read(form, authorization)).toThrow(expect.objectContaining({ code }));
});
