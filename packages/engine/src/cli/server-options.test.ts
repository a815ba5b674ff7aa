import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, memoryStreams, startServer } from './query/query-fixture.ts';
import { runQuery } from './query/run-query.ts';
import { serverOf } from './server-options.ts';

const url = 'http://127.0.0.1:1';
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-cli-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('the user of a request', () => {
  const environment = { TESSERA_TOKEN: 't', TESSERA_USER: 'eve', TESSERA_PASSWORD: 'p' };

  it.each([
    ['nobody', {}, {}, {}],
    ['the token of the environment, before its user', {}, environment, { token: 't' }],
    ['a token by flag', { token: 'f' }, environment, { token: 'f' }],
    ['a user by flag', { user: 'al' }, environment, { login: { user: 'al', password: 'p' } }],
    [
      'the user of the environment',
      {},
      { TESSERA_USER: 'eve', TESSERA_PASSWORD: 'p' },
      { login: { user: 'eve', password: 'p' } },
    ],
  ])('%s', async (_name, flags, given, expected) => {
    const { token, login } = await serverOf({ url, ...flags }, given);
    expect({ ...(token && { token }), ...(login && { login }) }).toEqual(expected);
  });

  it('a password by file', async () => {
    const passwordFile = join(directory, 'password');
    writeFileSync(passwordFile, ' p w \n');
    const { login } = await serverOf({ url, user: 'al', passwordFile }, environment);
    expect(login).toEqual({ user: 'al', password: ' p w ' });
  });

  it('a token and a user exclude each other', async () => {
    await expect(serverOf({ url, user: 'al', token: 't' }, {})).rejects.toThrow('not both');
  });
});

describe('a login', () => {
  const login = { user: 'al', password: 'p&=w' };

  it('fetches a token for the statement', async () => {
    await using server = await startServer(({ path }, response) =>
      response.end(path === '/oauth/token' ? '{"access_token":"abc","token_type":"Bearer"}' : 'n\n42\n'),
    );
    const { io, out } = memoryStreams();
    await runQuery(ask(server.url, 'SELECT 42', { server: { url: server.url, login } }), io, never);
    expect(out()).toBe('n\n42\n');
    expect(Object.fromEntries(new URLSearchParams(server.seen[0]!.body))).toEqual({
      grant_type: 'password',
      username: 'al',
      password: 'p&=w',
    });
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer abc']);
  });

  it('reports why the login was refused', async () => {
    await using server = await startServer((_, response) => {
      response.statusCode = 400;
      response.end('{"error":"invalid_grant","error_description":"wrong name or password"}');
    });
    const query = ask(server.url, 'SELECT 42', { server: { url: server.url, login } });
    await expect(runQuery(query, memoryStreams().io, never)).rejects.toThrow(
      'cannot log in as al: wrong name or password',
    );
    expect(server.seen).toHaveLength(1);
  });
});

const never = new AbortController().signal;
