import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, logIn, queryAs, writeNativeConfig, writeSigningKey } from './native-node.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

const run = promisify(execFile);
const PSQL = 'psql';

/**
 * The password of `alice`, which clients must normalise equally: it contains a soft hyphen, a wide blank and
 * a decomposed letter.
 */
const PASSWORD = 'w\u00adonder\u00a0lande\u0301.1.2';

let directory: string;
let node: TesseraProcess;
let token: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-login-'));
  const signing_keys = [writeSigningKey(directory, 'one')];
  const config = writeNativeConfig(directory, { signing_keys, signing_algorithm: 'ES256' });
  node = await startTessera({
    args: ['--config', config, '--listen-host', '0.0.0.0', '--postgres-port', '0'],
  });
  token = await logIn(node);
  await queryAs(token, node, `CREATE USER alice PASSWORD '${PASSWORD}'`);
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

/** The output of psql for a login at the address of this machine. */
async function psql(host: string, user: string, password: string): Promise<string> {
  const port = node.postgres.split(':').at(-1);
  const args = ['-XAtc', 'SELECT current_user', `host=${host} port=${port} user=${user} dbname=tessera`];
  return run(PSQL, args, { env: { ...process.env, PGPASSWORD: password } }).then(
    ({ stdout }) => stdout.trim(),
    (error) => error.stderr.trim().split('\n')[0],
  );
}

it('\\password of psql sets a password that the server never sees', { timeout: 30_000 }, async () => {
  await queryAs(token, node, `CREATE USER carol PASSWORD 'first password'`);
  const port = node.postgres.split(':').at(-1);
  const args = ['-Xc', '\\password', `host=127.0.0.1 port=${port} user=carol dbname=tessera`];
  const env = { ...process.env, PGPASSWORD: 'first password' };
  // Without a terminal, psql reads the new password from its input.
  const child = spawn(PSQL, args, { env, detached: true, stdio: ['pipe', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  child.stdin.end('sécond password\nsécond password\n');
  const [code] = await once(child, 'close');
  expect({ code, errors: errors.includes('ERROR') ? errors : '' }).toEqual({ code: 0, errors: '' });
  expect(await psql('127.0.0.1', 'carol', 'sécond password')).toBe('carol');
  expect(await psql('127.0.0.1', 'carol', 'first password')).toContain('Password authentication failed');
  expect(await logIn(node, { name: 'carol', password: 'sécond password' })).toMatch(/./);
});

const outside = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

describe.each([
  ['the password itself, on this machine', '127.0.0.1'],
  ['SCRAM, from elsewhere', outside],
])('%s', (_, host) => {
  it.skipIf(host === undefined)(
    'accepts the correct password (skipped without another address)',
    async () => {
      expect(await psql(host!, 'alice', PASSWORD)).toBe('alice');
      expect(await psql(host!, ADMIN.name, ADMIN.password)).toBe(ADMIN.name);
    },
  );

  it.skipIf(host === undefined)(
    'refuses all other logins with the same message (skipped without another address)',
    async () => {
      for (const user of ['alice', 'nobody', 'tessera'])
        expect(await psql(host!, user, 'wrong')).toContain(
          `Password authentication failed for user "${user}"`,
        );
    },
  );
});
