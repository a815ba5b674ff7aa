import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig, parseConfig, showConfig } from './index.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-config-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const withPassword = (password: string) => `schema_version: "1.0"
auth:
  mode: native
  native:
    initial_user:
      name: admin
      password: "${password}"
`;

const secret = (name: string, content: string, mode = 0o600) => {
  const path = join(directory, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
};

const passwordOf = (text: string, environment = {}) =>
  parseConfig(text, join(directory, 'tessera.yaml'), environment).config.auth.native?.initial_user?.password;

describe('a reference', () => {
  it('to the environment', () => {
    expect(passwordOf(withPassword(`\${env:ADMIN_PASSWORD}`), { ADMIN_PASSWORD: ' p w ' })).toBe(' p w ');
  });

  it('to a file, by its absolute path and from the directory of the configuration', () => {
    const path = secret('password', 's3cret\n');
    expect(passwordOf(withPassword(`\${file:${path}}`))).toBe('s3cret');
    expect(passwordOf(withPassword(`\${file:password}`))).toBe('s3cret');
  });

  it('is not looked for in what it leads to', () => {
    expect(passwordOf(withPassword(`\${env:A}`), { A: `\${env:B}`, B: 'no' })).toBe(`\${env:B}`);
  });

  it.each([
    [`\${env:GONE}`, 'the environment variable GONE is not set'],
    [`\${env:EMPTY}`, 'the environment variable EMPTY is empty'],
    [`\${file:gone}`, 'cannot be read: ENOENT'],
    [`x\${env:A}`, 'a reference must be the whole value'],
    [`\${env:A`, 'a reference must be the whole value'],
  ])('%s: %s, with parameter and line', (password, message) => {
    const parse = () => parseConfig(withPassword(password), 'tessera.yaml', { A: 'secret-a', EMPTY: '' });
    expect(parse).toThrow(`tessera.yaml:7: auth.native.initial_user.password: ${message}`);
    expect(parse).not.toThrow('secret-a');
  });

  it('is taken for text alone', () => {
    const text = `schema_version: "1.0"\nauth: {native: {jwt: {token_expiry: "\${env:EXPIRY}"}}}`;
    expect(() => parseConfig(text, 'f', { EXPIRY: '5m' })).toThrow(`got "\${env:EXPIRY}"`);
  });

  it('whose value is wrong is told without the value', () => {
    const text = `schema_version: "1.0"
auth: {oidc: {providers: [{name: p, username_mapping: "{{ sub }}", discovery_url: "\${env:URL}"}]}}`;
    const parse = () => parseConfig(text, 'f', { URL: 'hunter2' });
    expect(parse).toThrow(`configuration, got "\${env:URL}"`);
  });
});

it('a file that everybody can read is worth a warning', () => {
  secret('open', 'x', 0o644);
  const { warnings } = parseConfig(withPassword(`\${file:open}`), join(directory, 'tessera.yaml'));
  expect(warnings).toEqual([
    {
      line: 7,
      path: 'auth.native.initial_user.password',
      message: `${join(directory, 'open')} can be read by every user of this machine`,
    },
  ]);
});

it('the configuration shows the reference, never the value', async () => {
  secret('hidden', 'hunter2');
  writeFileSync(join(directory, 'tessera.yaml'), withPassword(`\${file:hidden}`));
  const loaded = await loadConfig(join(directory, 'tessera.yaml'));
  for (const defaults of [true, false]) {
    const text = JSON.stringify(showConfig(loaded, { defaults }).value);
    expect(text).toContain(`"password":"\${file:hidden}"`);
    expect(text).not.toContain('hunter2');
  }
});
