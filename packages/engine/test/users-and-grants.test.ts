import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query } from './http.ts';
import { ADMIN, logIn, queryAs, writeNativeConfig, writeSigningKey } from './native-node.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

const PASSWORD = 'xyzzy-plugh-42';
const ANA = { name: 'ana', password: PASSWORD };

let directory: string;
let args: readonly string[];
let node: TesseraProcess;
let token: string;

const start = (dataDirectory?: string) =>
  startTessera({ args, ...(dataDirectory === undefined ? {} : { dataDirectory }) });

async function asAdmin(...statements: readonly string[]) {
  for (const sql of statements) {
    const answer = await queryAs(token, node, sql);
    if (answer.status !== 200) throw new Error(`${sql}: ${answer.text}`);
  }
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-grants-'));
  const native = { signing_keys: [writeSigningKey(directory, 'one')], signing_algorithm: 'ES256' };
  const config = writeNativeConfig(directory, native, { logging: { level: 'trace' } });
  args = ['--config', config, '--postgres-port', '0'];
  node = await start();
  token = await logIn(node);
  await asAdmin(
    `CREATE USER ana PASSWORD '${PASSWORD}'`,
    'CREATE ROLE readers',
    'CREATE TABLE t (a INT)',
    'INSERT INTO t VALUES (1), (2)',
  );
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const statusAs = async (bearer: string, sql: string) => {
  const answer = await queryAs(bearer, node, sql);
  return answer.status === 200 ? 200 : answer.json().errors[0].name;
};

describe('the privileges of a user', () => {
  it('are those granted to the user or a role, until they are revoked', async () => {
    const ana = await logIn(node, ANA);
    expect(await statusAs(ana, 'SELECT * FROM t')).toBe('FORBIDDEN');
    await asAdmin('GRANT SELECT ON t TO readers', 'GRANT readers TO ana');
    expect(await statusAs(ana, 'SELECT * FROM t')).toBe(200);
    expect(await statusAs(ana, 'INSERT INTO t VALUES (3)')).toBe('FORBIDDEN');
    await asAdmin('REVOKE readers FROM ana');
    expect(await statusAs(ana, 'SELECT * FROM t')).toBe('FORBIDDEN');
  });

  it('do not include the configuration of the node, which administrators see without its secrets', async () => {
    const sql = `SELECT value, is_set FROM information_schema.engine_configuration WHERE parameter = 'auth.mode'`;
    const rowsAs = async (bearer: string) => (await queryAs(bearer, node, sql)).json().data;
    expect(await rowsAs(token)).toEqual([['native', true]]);
    expect(await rowsAs(await logIn(node, ANA))).toEqual([]);
    const all = await queryAs(token, node, 'SELECT * FROM information_schema.engine_configuration');
    expect(all.text).toContain('auth.native.initial_user.password');
    expect(all.text).not.toContain(ADMIN.password);
  });

  it('survive a restart', async () => {
    await asAdmin('GRANT readers TO ana WITH ADMIN OPTION');
    await node.stop('SIGKILL');
    node = await start(node.dataDirectory);
    token = await logIn(node);
    const ana = await logIn(node, ANA);
    expect(await statusAs(ana, 'SELECT * FROM t')).toBe(200);
    const shown: unknown[][] = (await queryAs(ana, node, 'SHOW GRANTS')).json().data;
    expect(shown.filter(([, privilege]) => privilege !== 'OWNERSHIP')).toEqual([
      ['public', 'USAGE', 'database', 'tessera', null, 'tessera', 'NO', 'tessera'],
      ['ana', 'MEMBER', 'role', null, null, 'readers', 'YES', 'admin'],
      ['public', 'USAGE', 'schema', 'tessera', null, 'public', 'NO', 'tessera'],
      ['readers', 'SELECT', 'table', 'tessera', 'public', 't', 'NO', 'admin'],
    ]);
  });

  it('end when the password changes that obtained the token, and when the user is dropped', async () => {
    const [first, second] = [await logIn(node, ANA), await logIn(node, ANA)];
    expect(await statusAs(first, `ALTER USER current_user PASSWORD '${PASSWORD}2'`)).toBe(200);
    expect(await statusAs(second, 'SELECT 1')).toBe('UNAUTHENTICATED');
    const third = await logIn(node, { name: 'ana', password: `${PASSWORD}2` });
    await asAdmin('DROP USER ana', `CREATE USER ana PASSWORD '${PASSWORD}2'`);
    expect(await statusAs(third, 'SELECT 1')).toBe('UNAUTHENTICATED');
    const newSession = await logIn(node, { name: 'ana', password: `${PASSWORD}2` });
    expect(await statusAs(newSession, 'SELECT * FROM t')).toBe('FORBIDDEN');
  });
});

it('users log in over PostgreSQL with their privileges and their default database', async () => {
  await asAdmin(
    'CREATE DATABASE home',
    `CREATE USER wire PASSWORD '${PASSWORD}' DEFAULT_DATABASE = home DEFAULT_ROLE = readers`,
  );
  const [host = '', port] = node.postgres.split(':');
  const client = new Client({ host, port: Number(port), user: 'wire', password: PASSWORD });
  await client.connect();
  try {
    const who = await client.query('SELECT current_user, current_database() AS db');
    expect(who.rows).toEqual([{ current_user: 'wire', db: 'home' }]);
    const rights = await client.query('SHOW GRANTS ON tessera.public.t FOR readers');
    expect(rights.rows).toMatchObject([{ grantee: 'readers', privilege: 'SELECT' }]);
    const prepared = await client.query({ name: 'rights', text: 'SHOW GRANTS FOR readers' });
    expect(prepared.command).toBe('SHOW');
    await expect(client.query('CREATE USER other')).rejects.toMatchObject({ code: '42501' });
    await expect(client.query(`ALTER USER wire PASSWORD "${PASSWORD}"`)).rejects.toMatchObject({
      code: '42601',
      message: expect.not.stringContaining(PASSWORD),
    });
    expect((await client.query(`ALTER USER wire PASSWORD '${PASSWORD}3'`)).command).toBe('ALTER');
  } finally {
    await client.end();
  }
});

/** Every file below a directory, in which a running node may create and delete files meanwhile. */
async function* filesBelow(path: string): AsyncGenerator<string> {
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) yield* filesBelow(join(path, entry.name));
    if (entry.isFile()) yield join(path, entry.name);
  }
}

describe('a password', () => {
  it.each([
    `CREATE USER a1 PASSWORD '${PASSWORD}'; SELECT 1`,
    `SELECT 1; ALTER USER ana PASSWORD '${PASSWORD}'`,
    `ALTER USER ana SET PASSWORD = $$${PASSWORD}$$`,
    `ALTER USER ana PASSWORD "${PASSWORD}"`,
    `ALTER USER ana PASSWORD ${PASSWORD}`,
    `ALTER USER ana PASWORD '${PASSWORD}'`,
    `ALTER USER ana PASSWORD 'x'${PASSWORD}'y'`,
    `ALTER USER ana PASSWORD '${PASSWORD}`,
    `ALTER USER nosuch PASSWORD '${PASSWORD}'`,
    `EXPLAIN ALTER USER ana PASSWORD '${PASSWORD}'`,
    `CREATE ROLE ana PASSWORD '${PASSWORD}' LOGIN`,
  ])('is in no response: %s', async (sql) => {
    const headers = { Authorization: `Bearer ${token}` };
    for (const settings of [{ enable_multi_query_requests: 'true' }, { async: 'true' }, {}]) {
      const answer = await query(node, sql, settings, headers);
      expect(answer.text).not.toContain(PASSWORD);
    }
  });

  it('is in no log, in no history and in no file', async () => {
    const history = await queryAs(
      token,
      node,
      'SELECT query_text, query_text_normalized, error_message FROM information_schema.engine_query_history',
    );
    expect(history.text).toContain('ALTER USER ana PASSWORD');
    expect(history.text).not.toContain(PASSWORD);
    expect(JSON.stringify(node.log)).not.toContain(PASSWORD);
    let files = 0;
    for await (const path of filesBelow(node.dataDirectory)) {
      const content = await readFile(path).catch(() => undefined);
      if (content !== undefined) files += 1;
      expect(content?.includes(PASSWORD) ?? false, path).toBe(false);
    }
    expect(files).toBeGreaterThan(10);
  });

  it('in the configuration does not create the user a second time', async () => {
    await asAdmin("ALTER USER admin PASSWORD 'not that of the file'");
    await node.stop();
    node = await start(node.dataDirectory);
    await expect(logIn(node)).rejects.toThrow();
    token = await logIn(node, { ...ADMIN, password: 'not that of the file' });
    expect(await statusAs(token, 'CREATE ROLE still_admin')).toBe(200);
  });
});
