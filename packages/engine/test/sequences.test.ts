import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rows } from './http.ts';
import { bind, execute, parse, query, RawClient, sync } from './postgres-client.ts';
import { startTessera } from './tessera-process.ts';

it('sequences continue after a kill, and currval belongs to the PostgreSQL connection', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tessera-sequences-'));
  const args = ['--postgres-port', '0'];
  try {
    await using first = await startTessera({ dataDirectory, args });
    {
      using client = await RawClient.open(first.postgres);
      const ask = (sql: string) => client.ask(query(sql));
      await ask('CREATE TABLE t (id SERIAL PRIMARY KEY, name TEXT)');
      expect(await ask('SELECT lastval()')).toContain(
        'E ERROR 55000 lastval is not yet defined in this session: nextval was not called before',
      );
      expect(await ask("INSERT INTO t (name) VALUES ('a'), ('b') RETURNING id")).toEqual([
        'T',
        'D 1',
        'D 2',
        'C INSERT 0 2',
        'Z I',
      ]);
      expect(await ask("SELECT currval('t_id_seq'), lastval()")).toContain('D 2|2');
      expect(await client.ask(parse('SELECT nextval($1)'), bind(['t_id_seq']), execute(), sync)).toContain(
        'D 3',
      );
      await ask('DISCARD SEQUENCES');
      expect((await ask('SELECT lastval()'))[0]).toMatch(/^E ERROR 55000/);
      expect(
        await ask(
          "SELECT relkind, pg_table_is_visible(oid), oid::regclass FROM pg_class WHERE oid = 't_id_seq'::regclass",
        ),
      ).toContain('D S|t|t_id_seq');
      expect(await ask('SELECT sequencename, data_type::regtype, increment_by FROM pg_sequences')).toContain(
        'D t_id_seq|integer|1',
      );
      expect(await ask('SELECT sequence_name, maximum_value FROM information_schema.sequences')).toContain(
        'D t_id_seq|2147483647',
      );
    }
    await first.stop('SIGKILL');

    await using second = await startTessera({ dataDirectory, args });
    const [[next]] = (await rows(second, "INSERT INTO t (name) VALUES ('c') RETURNING id")) as [[number]];
    expect(next).toBeGreaterThan(3);
    expect(await rows(second, 'SELECT count(DISTINCT id), count(*) FROM t')).toEqual([['3', '3']]);
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
});
