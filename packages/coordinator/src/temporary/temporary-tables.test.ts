import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { asNodeName } from '@tessera/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from '../testing/test-node.ts';
import { Sessions } from './sessions.ts';
import { TemporaryTables } from './temporary-tables.ts';

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.open();
});
afterAll(() => node[Symbol.asyncDispose]());

const asked = (temporary: TemporaryTables, transactionId?: string) => ({
  temporary,
  ...(transactionId === undefined ? {} : { transactionId }),
});

async function inSession(work: (session: TemporaryTables) => Promise<void>): Promise<void> {
  const session = node.coordinator.openSession();
  try {
    await work(session);
  } finally {
    await node.coordinator.endSession(session);
  }
}

async function begin(session: TemporaryTables): Promise<string> {
  const { session: update } = await node.run('BEGIN', asked(session));
  return update?.kind === 'set' ? update.value : '';
}

const schemas = async () => {
  const snapshot = await node.tables.manager.latest();
  return snapshot
    .databases()
    .flatMap(({ id }) => snapshot.schemas(id))
    .filter(({ temporaryOf }) => temporaryOf !== undefined);
};

describe('a temporary table', () => {
  it('exists only in its session, and is dropped when the session ends', async () => {
    await inSession(async (mine) => {
      await node.run('CREATE TEMP TABLE own (a INT)', asked(mine));
      await node.run('CREATE TEMPORARY TABLE IF NOT EXISTS own (a INT)', asked(mine));
      await node.run('INSERT INTO own VALUES (1), (2)', asked(mine));
      expect(await node.rows('SELECT sum(a) FROM own', asked(mine))).toEqual([['3']]);
      await inSession(async (other) => {
        for (const name of ['own', 'pg_temp.own', `${mine.schemaName}.own`]) {
          await expect(node.rows(`SELECT * FROM ${name}`, asked(other))).rejects.toThrow(/does not exist/);
          await expect(node.rows(`SELECT * FROM ${name}`)).rejects.toThrow(/does not exist/);
        }
        await node.run('CREATE TEMP TABLE own (b TEXT)', asked(other));
        expect(await node.rows('SELECT * FROM own', asked(other))).toEqual([]);
      });
      expect(await node.rows(`SELECT sum(a) FROM ${mine.schemaName}.own`, asked(mine))).toEqual([['3']]);
    });
    expect(await schemas()).toEqual([]);
  });

  it('works in every statement, also together with permanent tables', async () => {
    await node.run('CREATE TABLE stays (a INT, b TEXT)');
    await node.run("INSERT INTO stays VALUES (1, 'one'), (2, 'two')");
    await inSession(async (session) => {
      const run = (sql: string) => node.run(sql, asked(session));
      const rows = (sql: string) => node.rows(sql, asked(session));
      await run('CREATE TEMP TABLE t (id SERIAL, a INT DEFAULT 7 CHECK (a > 0), PRIMARY KEY (id))');
      await run('INSERT INTO t (a) SELECT a FROM stays');
      expect(await rows('INSERT INTO t DEFAULT VALUES RETURNING id, a')).toEqual([[3, 7]]);
      await run('UPDATE t SET a = 20 FROM stays WHERE stays.a = t.a AND stays.a = 2');
      await run('DELETE FROM pg_temp.t WHERE a = 7');
      expect(await rows('SELECT a FROM t ORDER BY a')).toEqual([[1], [20]]);
      await run(
        'MERGE INTO t USING stays AS s ON t.a = s.a WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a)',
      );
      expect(await rows('SELECT a FROM t ORDER BY a')).toEqual([[2], [20]]);
      expect(await rows('SELECT b FROM stays JOIN t ON t.a = stays.a')).toEqual([['two']]);
      await run('ALTER TABLE t ADD COLUMN c TEXT');
      await run('ALTER TABLE t RENAME TO u');
      expect(await rows('SELECT a, c FROM u WHERE a = 2')).toEqual([[2, null]]);
      await run('VACUUM u');
      await run('TRUNCATE TABLE u');
      expect(await rows('SELECT count(*) FROM u')).toEqual([['0']]);
      await run('CREATE TEMP TABLE q (x) AS SELECT b FROM stays WHERE a = 1');
      expect(await rows('SELECT x FROM q')).toEqual([['one']]);
      await run('DROP TABLE u');
      await expect(rows('SELECT * FROM u')).rejects.toThrow(/does not exist/);
    });
  });

  it('takes LOCAL and GLOBAL before TEMP, and OR REPLACE; a temporary view is refused', async () => {
    await inSession(async (session) => {
      const run = (sql: string) => node.run(sql, asked(session));
      const rows = (sql: string) => node.rows(sql, asked(session));
      await run('CREATE LOCAL TEMP TABLE t (a INT)');
      await run('CREATE GLOBAL TEMPORARY TABLE other (a INT)');
      await run('INSERT INTO t VALUES (1)');
      await run('CREATE OR REPLACE TEMP TABLE t (b TEXT)');
      expect(await rows('SELECT * FROM t')).toEqual([]);
      await run('CREATE OR REPLACE TEMPORARY TABLE t AS SELECT 5 AS five');
      expect(await rows('SELECT five FROM t')).toEqual([[5]]);
      for (const sql of ['CREATE TEMP VIEW v AS SELECT 1', 'CREATE OR REPLACE TEMPORARY VIEW v AS SELECT 1'])
        await expect(run(sql)).rejects.toMatchObject({
          name: 'NOT_SUPPORTED',
          message: expect.stringContaining('CREATE TEMP VIEW is not supported: use CREATE VIEW'),
        });
    });
    await expect(node.rows('SELECT * FROM t')).rejects.toThrow(/does not exist/);
  });

  it('hides a table of the same name in public unless that is qualified; views do not use it', async () => {
    await node.run('CREATE TABLE doubled (a TEXT)');
    await node.run("INSERT INTO doubled VALUES ('permanent')");
    await node.run('CREATE VIEW seen AS SELECT a FROM doubled');
    const one = async (sql: string, session: TemporaryTables) =>
      (await node.rows(sql, asked(session)))[0]?.[0];
    await inSession(async (session) => {
      expect(await one('SELECT a FROM doubled', session)).toBe('permanent');
      await node.run('CREATE TEMP TABLE doubled (a TEXT)', asked(session));
      await node.run("INSERT INTO doubled VALUES ('temporary')", asked(session));
      expect(await one('SELECT a FROM doubled', session)).toBe('temporary');
      expect(await one('SELECT a FROM public.doubled', session)).toBe('permanent');
      expect(await one('SELECT a FROM seen', session)).toBe('permanent');
      expect((await node.rows('SELECT a FROM doubled'))[0]).toEqual(['permanent']);
      await expect(node.run('CREATE VIEW w AS SELECT a FROM doubled', asked(session))).rejects.toMatchObject({
        name: 'NOT_SUPPORTED',
      });
      await node.run('DROP TABLE doubled', asked(session));
      expect(await one('SELECT a FROM doubled', session)).toBe('permanent');
    });
  });

  it('shows in the catalogs of its session alone', async () => {
    const listed = `SELECT table_schema, table_type FROM information_schema.tables WHERE table_name = 'shown'`;
    const classes = `SELECT count(*) FROM pg_class WHERE relname = 'shown'`;
    await inSession(async (session) => {
      await node.run('CREATE TEMP TABLE shown (a INT)', asked(session));
      expect(await node.rows(listed, asked(session))).toEqual([[session.schemaName, 'LOCAL TEMPORARY']]);
      expect(await node.rows(classes, asked(session))).toEqual([['1']]);
      expect(await node.rows(listed)).toEqual([]);
      expect(await node.rows(classes)).toEqual([['0']]);
    });
  });

  it('does at COMMIT what ON COMMIT says', async () => {
    await inSession(async (session) => {
      const id = await begin(session);
      const within = asked(session, id);
      await node.run('CREATE TEMP TABLE kept (a INT) ON COMMIT PRESERVE ROWS', within);
      await node.run('CREATE TEMP TABLE emptied (a INT) ON COMMIT DELETE ROWS', within);
      await node.run('CREATE TEMP TABLE dropped ON COMMIT DROP AS SELECT 1 AS a', within);
      for (const table of ['kept', 'emptied']) await node.run(`INSERT INTO ${table} VALUES (1)`, within);
      expect(await node.rows('SELECT * FROM kept, emptied, dropped', within)).toEqual([[1, 1, 1]]);
      await node.run('COMMIT', within);
      const count = async (table: string) =>
        (await node.rows(`SELECT count(*) FROM ${table}`, asked(session)))[0]![0];
      expect(await count('kept')).toBe('1');
      expect(await count('emptied')).toBe('0');
      await expect(count('dropped')).rejects.toThrow(/does not exist/);
      await node.run('INSERT INTO emptied VALUES (1)', asked(session));
      expect(await count('emptied')).toBe('0');
    });
  });

  it('is dropped when its transaction is rolled back', async () => {
    await inSession(async (session) => {
      const within = asked(session, await begin(session));
      await node.run('CREATE TEMP TABLE gone (a INT)', within);
      await node.run('ROLLBACK', within);
      await expect(node.rows('SELECT * FROM gone', asked(session))).rejects.toThrow(/does not exist/);
    });
  });

  it('is dropped with its database, whichever session it belongs to', async () => {
    await inSession(async (session) => {
      await node.run('CREATE DATABASE shortlived');
      await node.run('CREATE TEMP TABLE t (a INT)', { ...asked(session), database: 'shortlived' });
      await node.run('DROP DATABASE shortlived');
    });
    expect(await schemas()).toEqual([]);
  });
});

describe('refused is', () => {
  it.each([
    ['CREATE TEMP TABLE t (a INT)', 'NOT_SUPPORTED', /HTTP has no session/],
    ['CREATE TABLE pg_temp.t (a INT)', 'NOT_SUPPORTED', /HTTP has no session/],
    ['CREATE TEMP TABLE public.t (a INT)', 'INVALID_ARGUMENT', /belongs to the session/],
    ['CREATE TABLE t (a INT) ON COMMIT DROP', 'NOT_SUPPORTED', /CREATE TEMP TABLE/],
    ['CREATE TEMP TABLE t (a INT) ON COMMIT KEEP', 'SYNTAX_ERROR', /PRESERVE ROWS, DELETE ROWS or DROP/],
    ['CREATE SCHEMA pg_temp_1', 'FORBIDDEN', /reserved/],
  ])('%s', async (sql, name, message) => {
    await expect(node.run(sql)).rejects.toMatchObject({ name, message: expect.stringMatching(message) });
  });

  it('a foreign key between a temporary and a permanent table', async () => {
    await node.run('CREATE TABLE parent (id INT PRIMARY KEY)');
    await inSession(async (session) => {
      const sql = 'CREATE TEMP TABLE child (id INT REFERENCES parent (id))';
      await expect(node.run(sql, asked(session))).rejects.toThrow(/reference temporary tables only/);
      await node.run(
        'CREATE TEMP TABLE tree (id INT PRIMARY KEY, up INT REFERENCES tree (id))',
        asked(session),
      );
    });
  });
});

describe('the tables of ended sessions', () => {
  const processes = { engine: 'test', log: undefined };
  const member = (name: string) => ({ index: 0, name: asNodeName(name), status: 'lost' as const });

  it('are dropped by the node that starts again, by others when the node is gone from the engine', async () => {
    const manager = node.tables.manager;
    const cluster = { self: { name: 'a' } as never, members: () => [member('a'), member('b')] };
    const before = new Sessions({ ...processes, manager, cluster });
    const left = before.open();
    await node.run('CREATE TEMP TABLE t (a INT)', asked(left));
    before.close();

    const others = { self: { name: 'b' } as never, members: () => [member('a'), member('b')] };
    const other = new Sessions({ ...processes, manager, cluster: others });
    await other.collect();
    const foreign = new Sessions({ ...processes, manager, engine: 'another', cluster: { ...cluster } });
    await foreign.collect();
    await before.collect();
    expect(await schemas()).toHaveLength(1);

    const again = new Sessions({ ...processes, manager, cluster });
    await again.collect();
    expect(await schemas()).toEqual([]);

    const late = before.open();
    await node.run('CREATE TEMP TABLE t (a INT)', asked(late));
    const alone = { self: { name: 'b' } as never, members: () => [member('b')] };
    const rest = new Sessions({ ...processes, manager, cluster: alone });
    await rest.collect();
    expect(await schemas()).toEqual([]);
    for (const one of [other, foreign, again, rest]) one.close();
  });

  it('stay while their process runs, although another node of the host forms no cluster with it', async () => {
    const single = (name: string) => ({ self: { name } as never, members: () => [member(name)] });
    const alone = { ...processes, manager: node.tables.manager };
    const running = new Sessions({ ...alone, cluster: single('127.0.0.1:1') });
    const session = running.open();
    await node.run('CREATE TEMP TABLE t (a INT)', asked(session));
    const ended = new TemporaryTables({
      ...session.process,
      process: await endedProcess(session.process.process),
    });
    await node.run('CREATE TEMP TABLE t (a INT)', asked(ended));

    const beside = new Sessions({ ...alone, cluster: single('127.0.0.1:2') });
    await beside.collect();
    expect((await schemas()).map(({ name }) => name)).toEqual([session.schemaName]);
    await running.end(session);
    expect(await schemas()).toEqual([]);
    for (const one of [running, beside]) one.close();
  });
});

/** The name of this process as if it had ended. */
async function endedProcess(name: string): Promise<string> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return name.replace(`@${process.pid}.`, `@${child.pid}.`);
}
