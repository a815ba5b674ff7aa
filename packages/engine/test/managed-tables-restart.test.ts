import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { query, rows } from './http.ts';
import { startTessera } from './tessera-process.ts';

/** A busy machine loads tables late. */
const WAIT = { timeout: 40_000 };

it('tables survive a kill, a repeated statement is not executed again, and a restart loads the tables into memory', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tessera-restart-'));
  try {
    const first = await startTessera({ dataDirectory });
    await query(first, 'CREATE TABLE t (a INT) PRIMARY INDEX a');
    await query(first, 'INSERT INTO t SELECT i FROM generate_series(1, 50000) AS g(i)');
    const insert = await query(first, 'INSERT INTO t VALUES (0)', { query_id: 'the-same' });
    expect(insert.headers.get('x-tessera-affected-rows')).toBe('1');
    await query(first, 'DELETE FROM t WHERE a % 2 = 1');
    await query(first, 'CREATE VIEW v AS SELECT count(*) AS n FROM t');
    await first.stop('SIGKILL');

    await using second = await startTessera({ dataDirectory });
    expect(await rows(second, 'SELECT n FROM v')).toEqual([['25001']]);
    const again = await query(second, 'INSERT INTO t VALUES (0)', { query_id: 'the-same' });
    expect(again.status).toBe(200);
    expect(await rows(second, 'SELECT n FROM v')).toEqual([['25001']]);
    expect(await rows(second, 'SELECT min(a), max(a) FROM t')).toEqual([[0, 50_000]]);
    // A merge in the background stages its tablet there, too.
    await expect.poll(() => readdir(join(dataDirectory, 'staging')), WAIT).toEqual([]);
    const tabletsInMemory = async (server: typeof second) => Number(await metric(server, 'hot_tablets'));
    await expect.poll(() => tabletsInMemory(second), WAIT).toBeGreaterThan(0);
    await second.stop('SIGTERM');

    await using third = await startTessera({ dataDirectory });
    await expect.poll(() => metric(third, 'warmed_tables_total'), WAIT).toBe('1');
    expect(await tabletsInMemory(third)).toBeGreaterThan(0);
    expect(await rows(third, 'SELECT min(a), max(a) FROM t')).toEqual([[0, 50_000]]);
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
});

async function metric({ metricsUrl }: { readonly metricsUrl: string }, name: string) {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  return new RegExp(`^tessera_storage_agent_${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1];
}

it('objects of dropped tables can be collected after the grace period', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-garbage-'));
  try {
    const config = join(directory, 'tessera.yaml');
    await writeFile(
      config,
      'schema_version: "1.0"\nstorage: {allow_collect_garbage: true, gc_ttl_seconds: 0}\nexecution: {min_bytes_for_wide_part: 1}\n',
    );
    await using server = await startTessera({
      dataDirectory: join(directory, 'data'),
      args: ['--config', config],
    });
    await query(server, 'CREATE TABLE t AS SELECT i, hash(i) AS h FROM generate_series(1, 200000) AS g(i)');
    // With the default of min_bytes_for_wide_part a tablet of this size is compact, 1.
    expect(await layoutOfTablet(join(directory, 'data', 'objects'))).toBe(0);
    await query(server, 'CREATE TABLE c CLONE t');
    await query(server, 'DROP TABLE t');
    expect(await rows(server, 'CALL collect_garbage()')).toMatchObject([['0', '0']]);
    expect(await rows(server, 'SELECT count(*) FROM c')).toEqual([['200000']]);
    await query(server, 'DROP TABLE c');
    await expect
      .poll(async () => Number((await rows(server, 'CALL collect_garbage()'))[0]?.[1]))
      .toBeGreaterThan(0);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

/** The number of the layout in the header of a tablet of the store. */
async function layoutOfTablet(store: string): Promise<number | undefined> {
  const name = (await readdir(store, { recursive: true })).find((file) => file.endsWith('.parquet'));
  const file = await readFile(join(store, name!));
  return file[file.indexOf('TSHH') + 5];
}
