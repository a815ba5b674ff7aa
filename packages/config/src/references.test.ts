import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
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

/** A file that sets one parameter; a digit in the path is the index of an element. */
const fileWith = (keys: readonly string[], value: string): string =>
  stringify({
    schema_version: '1.0',
    ...(keys.reduceRight<unknown>(
      (inside, key) => (key === '0' ? [{ host: '127.0.0.1', ...(inside as object) }] : { [key]: inside }),
      value,
    ) as object),
  });

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

  it('is not resolved again inside the value it refers to', () => {
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

  it.each([
    ['execution.max_threads', '4', 4],
    ['engine.max_server_memory_usage', '2GiB', 2 * 1024 ** 3],
    ['engine.max_server_memory_usage', '1073741824', 1024 ** 3],
    ['engine.max_server_memory_usage_to_ram_ratio', '.5', 0.5],
    ['engine.termination_grace_period', '1.5h', 5_400_000],
    ['engine.nodes.0.distexec_port', ' 7001\n', 7001],
    ['execution.enable_shuffle', 'False', false],
    ['execution.admission_controller.enabled', 'true', true],
    ['logging.level', 'DEBUG', 'debug'],
    ['instance.id', '01jtessera0000000000000000', '01JTESSERA0000000000000000'],
    ['engine.id', '42', '42'],
  ])('stands for a value of any type: %s from %j', (path, text, expected) => {
    const keys = path.split('.');
    const inside = (value: unknown, key: string) => (value as Record<string, unknown>)[key];
    const parse = (file: string) =>
      keys.reduce<unknown>(
        inside,
        parseConfig(file, join(directory, 'tessera.yaml'), { VALUE: text }).config,
      );
    expect(parse(fileWith(keys, `\${env:VALUE}`))).toBe(expected);
    secret('value', text);
    expect(parse(fileWith(keys, `\${file:value}`))).toBe(expected);
  });

  it.each([
    ['execution.max_threads', 'four', 'expected an integer ≥ 0'],
    ['execution.max_threads', '-1', 'expected an integer ≥ 0'],
    ['execution.max_threads', '0x10', 'expected an integer ≥ 0'],
    ['execution.hybrid_headers_format_version', '4', 'expected an integer from 1 to 3'],
    ['execution.enable_shuffle', 'yes', 'expected true or false'],
    [
      'engine.termination_grace_period',
      '60',
      'expected a duration (a number with s, m, h or d, such as 30s)',
    ],
    ['logging.level', 'loud', 'expected one of'],
  ])('to what is no value of %s (%j) is refused, with the names of both', (path, text, message) => {
    const parse = () => parseConfig(fileWith(path.split('.'), `\${env:VALUE}`), 'f', { VALUE: text });
    expect(parse).toThrow(`${path}: ${message}`);
    expect(parse).toThrow(`, got something else from \${env:VALUE}`);
  });

  it('cannot stand for a block', () => {
    const parse = (text: string) => () => parseConfig(`schema_version: "1.0"\n${text}`, 'f', { A: '{}' });
    expect(parse(`engine: "\${env:A}"`)).toThrow(
      'f:2: engine: a reference cannot stand for a block of parameters',
    );
    expect(parse(`engine: {nodes: "\${env:A}"}`)).toThrow(
      'f:2: engine.nodes: a reference cannot stand for a list of blocks',
    );
  });

  it('to a wrong value is reported without the value', () => {
    const text = `schema_version: "1.0"
auth: {oidc: {providers: [{name: p, username_mapping: "{{ sub }}", discovery_url: "\${env:URL}"}]}}`;
    const parse = () => parseConfig(text, 'f', { URL: 'hunter2' });
    expect(parse).toThrow(`configuration, got something else from \${env:URL}`);
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
