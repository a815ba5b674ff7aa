import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authority } from './certificates.ts';
import { ADMIN, writeNativeConfig } from './native-node.ts';
import { MAIN } from './programs.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

let directory: string;
let authority: Authority;
let files: { cert: string; key: string };
let node: TesseraProcess;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-tls-'));
  authority = new Authority(directory);
  authority.issue('first');
  files = { cert: join(directory, 'node.pem'), key: join(directory, 'node.key') };
  use('first');
  const config = writeNativeConfig(directory);
  const tls = ['--tls-cert', files.cert, '--tls-key', files.key];
  node = await startTessera({ args: ['--config', config, '--postgres-port', '0', ...tls] });
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

/** Installs the certificate of that name where the node reads it. */
function use(name: string): void {
  copyFileSync(join(directory, `${name}.pem`), files.cert);
  copyFileSync(join(directory, `${name}.key`), files.key);
  chmodSync(files.key, 0o600);
}

async function send(method: string, path: string, body = '', headers: Record<string, string> = {}) {
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    request(node.url + path, { method, ca: authority.certificate, headers }, resolve)
      .on('error', reject)
      .end(body);
  });
  return { status: response.statusCode, text: await text(response) };
}

/** The name in the certificate that the listener uses for a new connection. */
function shownName(): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(node.url);
    const socket = connect({ host: hostname, port: Number(port), ca: authority.certificate }, () => {
      resolve(socket.getPeerCertificate().subject.CN as string);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

describe('with a certificate', () => {
  it('the query port speaks HTTPS, and says so', async () => {
    expect(node.url).toMatch(/^https:/);
    const form = new URLSearchParams({
      grant_type: 'password',
      username: ADMIN.name,
      password: ADMIN.password,
    });
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const { access_token: token } = JSON.parse(
      (await send('POST', '/oauth/token', form.toString(), type)).text,
    ) as { access_token: string };
    const authorization = `Bearer ${token}`;
    expect((await send('POST', '/', 'SELECT 42', { authorization })).text).toContain('42');
    const discovery = JSON.parse((await send('GET', '/.well-known/firebolt')).text) as object;
    expect(discovery).toMatchObject({ query_url: node.url });
    const engine = await send('GET', '/web/v3/account/mine/engineUrl', '', { authorization });
    expect(JSON.parse(engine.text)).toEqual({ engineUrl: node.url });
  });

  it('a client that speaks plain text, or old TLS, is turned away', async () => {
    await expect(fetch(node.url.replace('https:', 'http:'))).rejects.toThrow();
    const { hostname, port } = new URL(node.url);
    const old = {
      host: hostname,
      port: Number(port),
      ca: authority.certificate,
      maxVersion: 'TLSv1.1',
    } as const;
    await expect(
      new Promise((resolve, reject) => connect(old, () => resolve('connected')).on('error', reject)),
    ).rejects.toThrow();
  });

  it('health and metrics stay plain', async () => {
    expect((await fetch(`${node.healthUrl}/health/ready`)).status).toBe(200);
    expect((await fetch(`${node.metricsUrl}/metrics`)).status).toBe(200);
  });

  it('tessera query trusts the configured authority', () => {
    const args = ['query', '-u', node.url, '--user', ADMIN.name, '--tls-ca', authority.path, 'SELECT 42'];
    const env = { ...process.env, TESSERA_PASSWORD: ADMIN.password };
    expect(execFileSync(process.execPath, [MAIN, ...args], { env }).toString()).toContain('42');
  });

  it('the PostgreSQL port encrypts too', async () => {
    const [host, port] = node.postgres.split(':');
    const client = new pg.Client({
      host: host!,
      port: Number(port),
      user: ADMIN.name,
      password: ADMIN.password,
      database: 'tessera',
      ssl: { ca: authority.certificate },
    });
    await client.connect();
    expect((await client.query('SELECT current_user AS u')).rows).toEqual([{ u: ADMIN.name }]);
    await client.end();
  });

  it('after SIGHUP, new connections use the new certificate; an invalid certificate changes nothing', async () => {
    expect(await shownName()).toBe('first');
    authority.issue('second');
    use('second');
    node.child.kill('SIGHUP');
    await expect.poll(shownName).toBe('second');
    copyFileSync(join(directory, 'first.key'), files.key);
    node.child.kill('SIGHUP');
    const complaint = () =>
      node.log.some(({ msg }) => /certificate is invalid: keeping the old one/.test(String(msg)));
    await expect.poll(complaint).toBe(true);
    expect(await shownName()).toBe('second');
  });
});

describe('a node does not start', () => {
  const startWith = (...args: string[]) => startTessera({ args });

  it('with a certificate and no key', async () => {
    const only = startWith('--tls-cert', join(directory, 'first.pem'));
    await expect(only).rejects.toThrow('TLS takes two files');
  });

  it('with a key of another certificate', async () => {
    const { cert } = authority.issue('third');
    const { key } = authority.issue('fourth');
    await expect(startWith('--tls-cert', cert, '--tls-key', key)).rejects.toThrow(
      'do not make a certificate',
    );
  });

  it('with a key that everybody can read', async () => {
    const { cert, key } = authority.issue('open');
    chmodSync(key, 0o644);
    const open = startWith('--tls-cert', cert, '--tls-key', key);
    await expect(open).rejects.toThrow(/can be read or changed by every user/);
  });
});

it('warns about listeners that other machines can reach', async () => {
  const warned = ({ log }: TesseraProcess) =>
    log.filter(({ msg }) => /other machines can reach this listener/.test(String(msg))).length;
  await using unprotected = await startTessera({ args: ['--listen-host', '0.0.0.0'] });
  expect(warned(unprotected)).toBe(1);
  expect(warned(node)).toBe(0);
});
