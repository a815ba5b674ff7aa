import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { query } from '../http.ts';
import { logIn, queryAs, writeNativeConfig } from '../native-node.ts';
import { startTessera } from '../tessera-process.ts';

it('a user who is recreated sees nothing of the queries of the dropped user with the same name', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tessera-recreated-user-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  await using node = await startTessera({ args: ['--config', writeNativeConfig(directory)] });
  const admin = await logIn(node);
  const eve = { name: 'eve', password: 'secret of eve' };
  const make = async () => {
    expect((await queryAs(admin, node, `CREATE USER eve PASSWORD '${eve.password}'`)).status).toBe(200);
    return logIn(node, eve);
  };
  const history =
    "SELECT query_text FROM information_schema.engine_query_history WHERE query_text LIKE '%private%'";
  const first = await make();
  expect((await queryAs(first, node, "SELECT 'private' AS a")).status).toBe(200);
  const started = await query(node, 'SELECT 1', { async: 'true' }, { Authorization: `Bearer ${first}` });
  const { monitorSql } = started.json();
  expect((await queryAs(first, node, history)).json().data).toContainEqual(["SELECT 'private' AS a"]);
  expect((await queryAs(first, node, monitorSql)).status).toBe(200);

  expect((await queryAs(admin, node, 'DROP USER eve')).status).toBe(200);
  const second = await make();
  expect((await queryAs(second, node, history)).json().data).toEqual([]);
  expect((await queryAs(second, node, monitorSql)).json().errors[0].name).toBe('INVALID_ARGUMENT');
  expect((await queryAs(admin, node, history)).json().data).toContainEqual(["SELECT 'private' AS a"]);
});
