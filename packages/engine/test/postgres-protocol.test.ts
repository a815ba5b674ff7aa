import { afterAll, beforeAll, expect, describe as group, it } from 'vitest';
import { rows as rowsOverHttp } from './http.ts';
import {
  bind,
  close,
  describe,
  execute,
  flush,
  int32,
  message,
  messageText,
  parse,
  query,
  RawClient,
  reportFields,
  startup,
  sync,
  text,
} from './postgres-client.ts';
import { type SharedNode, takeSharedNode } from './shared-node.ts';
import { startTessera } from './tessera-process.ts';

let node: SharedNode;
beforeAll(async () => {
  node = await takeSharedNode();
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `($${i + 1})`).join();

const open = (parameters?: Readonly<Record<string, string>>) => RawClient.open(node.postgres, parameters);

async function firstMessages(...pieces: readonly Buffer[]): Promise<readonly string[]> {
  using client = new RawClient(node.postgres);
  client.send(...pieces);
  return (await client.until('Z')).map(messageText);
}

group('start-up', () => {
  it('sends parameters, a key for cancellation, and ReadyForQuery', async () => {
    using client = new RawClient(node.postgres);
    client.send(
      startup({ user: 'alice', database: 'tessera', application_name: 'me', TimeZone: 'Europe/Berlin' }),
    );
    const messages = await client.until('Z');
    const parameters = new Map(
      messages
        .filter(({ type }) => type === 'S')
        .map(({ body }) => body.toString().split('\0') as [string, string]),
    );
    expect(Object.fromEntries(parameters)).toMatchObject({
      server_encoding: 'UTF8',
      client_encoding: 'UTF8',
      application_name: 'me',
      DateStyle: 'ISO, MDY',
      IntervalStyle: 'postgres',
      TimeZone: 'Europe/Berlin',
      integer_datetimes: 'on',
      standard_conforming_strings: 'on',
      in_hot_standby: 'off',
      is_superuser: 'on',
      session_authorization: 'alice',
    });
    expect(parameters.get('server_version')).toMatch(/^15\.\d+ \(Tessera /);
    expect(messages.map(({ type }) => type).filter((type) => type !== 'S')).toEqual(['R', 'K', 'Z']);
    expect(await client.ask(query('SELECT current_user'))).toContain('D alice');
  });

  it('refuses encryption that is not configured, and continues', async () => {
    using client = new RawClient(node.postgres);
    for (const code of [80877103, 80877104]) {
      client.send(int32(8), int32(code));
      expect((await client.bytes(1)).toString()).toBe('N');
    }
    client.send(startup({ user: 'tessera' }));
    expect((await client.until('Z')).at(-1)?.type).toBe('Z');
  });

  it('tells a newer client which protocol version it supports', async () => {
    const messages = await firstMessages(startup({ user: 'tessera', '_pq_.new': 'x' }, 196_610));
    expect(messages[0]).toBe('v');
    expect(messages.at(-1)).toBe('Z I');
  });

  it.each([
    [{ user: 'tessera', database: 'nope' }, 'E FATAL 3D000 Database "nope" does not exist'],
    [{ database: 'tessera' }, 'E FATAL 28000 The start-up message names no user'],
    [{ user: 'tessera', replication: 'true' }, 'E FATAL 0A000 A replication connection is not supported'],
    [{ user: 'tessera', nonsense: '1' }, /^E FATAL 42704 Unknown setting nonsense/],
    [{ user: 'tessera', client_encoding: 'LATIN1' }, /^E FATAL 22023 Setting client_encoding: expected UTF8/],
    [{ user: 'tessera', options: '-c nonsense=1' }, /^E FATAL 42704/],
  ])('refuses %j', async (parameters, error) => {
    const messages = await firstMessages(startup(parameters as Record<string, string>));
    expect(messages).toEqual([typeof error === 'string' ? error : expect.stringMatching(error)]);
  });

  it('accepts parameters in options', async () => {
    using client = await open({ options: '-c statement_timeout=5s --search_path=public,\\ x' });
    expect(await client.ask(query('SHOW statement_timeout; SHOW search_path'))).toEqual(
      expect.arrayContaining(['D 5s', 'D public, x']),
    );
  });

  it('ends with an error for version 2', async () => {
    const [error, ...more] = await firstMessages(int32(8), int32(2 << 16));
    expect(error).toMatch(/^E FATAL 0A000 /);
    expect(more).toEqual([]);
  });

  it.each([
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a length that none has', int32(3)],
    ['a long packet', Buffer.concat([int32(1 << 20), Buffer.alloc(100)])],
    ['a good-bye', message('X')],
  ])('ends without a word for %s', async (_, bytes) => {
    expect(await firstMessages(bytes)).toEqual([]);
  });
});

group('a Query message', () => {
  it('is answered statement by statement', async () => {
    using client = await open();
    expect(await client.ask(query("SELECT 1 AS a; SELECT 'x', NULL"))).toEqual([
      'T',
      'D 1',
      'C SELECT 1',
      'T',
      'D x|NULL',
      'C SELECT 1',
      'Z I',
    ]);
    expect(await client.ask(query(' ; -- nothing'))).toEqual(['I', 'Z I']);
  });

  it('keeps no changes if the last statement fails', async () => {
    using client = await open();
    await client.ask(query('CREATE TABLE batch (a INT)'));
    const answer = await client.ask(
      query('INSERT INTO batch VALUES (1); INSERT INTO batch VALUES (2); SELECT 1/0'),
    );
    expect(answer.slice(0, 2)).toEqual(['C INSERT 0 1', 'C INSERT 0 1']);
    expect(answer.at(-2)).toMatch(/^E ERROR 22012/);
    expect(await client.ask(query('SELECT count(*) FROM batch'))).toContain('D 0');
    const ended = query('INSERT INTO batch VALUES (1); COMMIT; INSERT INTO batch VALUES (2); SELECT 1/0');
    expect((await client.ask(ended)).filter((m) => m.startsWith('N'))).toEqual([
      'N WARNING 25P01 there is no transaction in progress',
    ]);
    expect(await client.ask(query('SELECT * FROM batch'))).toContain('D 1');
  });

  it('reports the position of an error in the whole text, in characters', async () => {
    using client = await open();
    client.send(query("SELECT '😀';\n SELECT 1,\n  nope"));
    const error = (await client.until('Z')).find(({ type }) => type === 'E');
    expect(reportFields(error!.body).get('P')).toBe(String([..."SELECT '😀';\n SELECT 1,\n  n"].length));
  });

  it('runs none of its statements if one has a syntax error', async () => {
    using client = await open();
    await client.ask(query('CREATE TABLE unparsed (a INT)'));
    expect(await client.ask(query('INSERT INTO unparsed VALUES (1); SELEC 1'))).toEqual([
      expect.stringMatching(/^E ERROR 42601/),
      'Z I',
    ]);
    expect(await client.ask(query('SELECT count(*) FROM unparsed'))).toContain('D 0');
  });

  it('refuses a text that is not UTF-8', async () => {
    using client = await open();
    expect(await client.ask(message('Q', Buffer.from([0x53, 0xff, 0xfe, 0])))).toEqual([
      expect.stringMatching(/^E ERROR 22021/),
      'Z I',
    ]);
  });
});

group('transactions', () => {
  it('are part of each response, and a failed one only accepts its end', async () => {
    using client = await open();
    expect(await client.ask(query('BEGIN'))).toEqual(['C BEGIN', 'Z T']);
    expect((await client.ask(query('SELECT 1/0'))).at(-1)).toBe('Z E');
    expect(await client.ask(query('SELECT 1'))).toEqual([expect.stringMatching(/^E ERROR 25P02/), 'Z E']);
    expect(await client.ask(parse('SELECT 1'), sync)).toEqual([
      expect.stringMatching(/^E ERROR 25P02/),
      'Z E',
    ]);
    expect(await client.ask(query('COMMIT'))).toEqual(['C ROLLBACK', 'Z I']);
  });

  it('are seen by others once they are committed', async () => {
    using client = await open();
    await client.ask(query('CREATE TABLE seen (a INT)'));
    await client.ask(query('BEGIN; INSERT INTO seen VALUES (1)'));
    expect(await rowsOverHttp(node, 'SELECT count(*)::INT FROM seen')).toEqual([[0]]);
    expect(await client.ask(query('END'))).toEqual(['C COMMIT', 'Z I']);
    expect(await rowsOverHttp(node, 'SELECT count(*)::INT FROM seen')).toEqual([[1]]);
  });

  it('are rolled back when the connection goes', async () => {
    using client = await open();
    await client.ask(query('CREATE TABLE gone (a INT)'));
    await client.ask(query('BEGIN; INSERT INTO gone VALUES (1)'));
    client.socket.destroy();
    const open_ = 'SELECT count(*)::INT FROM information_schema.transactions';
    await expect.poll(() => rowsOverHttp(node, open_)).toEqual([[0]]);
    expect(await rowsOverHttp(node, 'SELECT count(*)::INT FROM gone')).toEqual([[0]]);
  });

  it('are sent before the end of their statement, if the client asks for them', async () => {
    using client = await open();
    expect(await client.ask(query('DROP TABLE IF EXISTS no_such'))).toEqual([
      'N NOTICE 00000 table "no_such" does not exist, skipping',
      'C DROP TABLE',
      'Z I',
    ]);
    await client.ask(query('SET client_min_messages = warning'));
    expect(await client.ask(query('DROP TABLE IF EXISTS no_such'))).toEqual(['C DROP TABLE', 'Z I']);
  });

  it('warn about BEGIN inside and COMMIT outside a transaction', async () => {
    using client = await open();
    expect(await client.ask(query('COMMIT'))).toContain(
      'N WARNING 25P01 there is no transaction in progress',
    );
    await client.ask(query('BEGIN'));
    expect(await client.ask(query('BEGIN'))).toContain(
      'N WARNING 25001 there is already a transaction in progress',
    );
  });

  it('read-only transactions refuse changes', async () => {
    using client = await open();
    await client.ask(query('CREATE TABLE readonly (a INT)'));
    await client.ask(query('START TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY'));
    expect(await client.ask(query('INSERT INTO readonly VALUES (1)'))).toEqual([
      expect.stringMatching(/^E ERROR 25006/),
      'Z E',
    ]);
  });

  it('are not serializable', async () => {
    using client = await open();
    expect((await client.ask(query('BEGIN ISOLATION LEVEL SERIALIZABLE')))[0]).toMatch(/^E ERROR 0A000/);
  });

  it('undo SET when they are rolled back', async () => {
    using client = await open();
    await client.ask(query("SET application_name = 'before'"));
    expect(
      await client.ask(query("BEGIN; SET application_name = 'inside'; SET LOCAL DateStyle = DMY")),
    ).toEqual(['C BEGIN', 'C SET', 'C SET', 'S', 'S', 'Z T']);
    expect(await client.ask(query('ROLLBACK'))).toEqual(['C ROLLBACK', 'S', 'S', 'Z I']);
    expect(await client.ask(query('SHOW application_name'))).toContain('D before');
  });
});

group('the extended protocol', () => {
  it('parses once and runs with other parameters', async () => {
    using client = await open();
    expect(await client.ask(parse('SELECT $1::int + 1, $2::text', 's'), describe('S', 's'), sync)).toEqual([
      '1',
      't',
      'T',
      'Z I',
    ]);
    for (const n of [1, 41]) {
      const answer = await client.ask(bind([String(n), null], { statement: 's' }), execute(), sync);
      expect(answer).toEqual(['2', `D ${n + 1}|NULL`, 'C SELECT 1', 'Z I']);
    }
    expect(await client.ask(close('S', 's'), bind([], { statement: 's' }), sync)).toEqual([
      '3',
      'E ERROR 26000 Prepared statement "s" does not exist',
      'Z I',
    ]);
  });

  it('returns as many rows as are requested', async () => {
    using client = await open();
    await client.ask(query('BEGIN'));
    const answer = await client.ask(
      parse('SELECT i FROM generate_series(1, 5) AS r(i)'),
      bind([], { portal: 'p' }),
      describe('P', 'p'),
      execute(2, 'p'),
      sync,
    );
    expect(answer).toEqual(['1', '2', 'T', 'D 1', 'D 2', 's', 'Z T']);
    expect(await client.ask(execute(2, 'p'), execute(2, 'p'), execute(2, 'p'), sync)).toEqual([
      'D 3',
      'D 4',
      's',
      'D 5',
      'C SELECT 1',
      'C SELECT 0',
      'Z T',
    ]);
    await client.ask(query('COMMIT'));
    expect((await client.ask(execute(0, 'p'), sync))[0]).toMatch(/^E ERROR 34000/);
  });

  it('skips everything after an error until Sync', async () => {
    using client = await open();
    const broken = [parse('SELECT 1/0'), bind(), execute(), parse('SELECT 1'), bind(), execute(), flush];
    expect(await client.ask(...broken, sync, parse('SELECT 2'), bind(), execute())).toEqual([
      '1',
      '2',
      expect.stringMatching(/^E ERROR 22012/),
      'Z I',
    ]);
    expect(await client.ask(sync)).toEqual(['1', '2', 'D 2', 'C SELECT 1', 'Z I']);
  });

  it('executes everything before a Sync in one transaction', async () => {
    using client = await open();
    await client.ask(query('CREATE TABLE piped (a INT)'));
    const insert = (n: number) => [parse(`INSERT INTO piped VALUES (${n})`), bind(), execute()];
    const answer = await client.ask(
      ...insert(1),
      ...insert(2),
      parse('SELECT nope'),
      bind(),
      execute(),
      sync,
    );
    expect(answer.filter((m) => m.startsWith('C'))).toEqual(['C INSERT 0 1', 'C INSERT 0 1']);
    expect(await client.ask(query('SELECT count(*) FROM piped'))).toContain('D 0');
    await client.ask(...insert(3), ...insert(4), sync, ...insert(5), sync);
    await client.until('Z');
    expect(await client.ask(query('SELECT count(*) FROM piped'))).toContain('D 3');
  });

  it('answers NoData for a statement without rows', async () => {
    using client = await open();
    expect(
      await client.ask(parse('CREATE TABLE norows (a INT)'), describe('S'), bind(), describe('P'), sync),
    ).toEqual(['1', 't', 'n', '2', 'n', 'Z I']);
    expect(await client.ask(parse(''), bind(), execute(), sync)).toEqual(['1', '2', 'I', 'Z I']);
  });

  it.each([
    ['two statements', [parse('SELECT 1; SELECT 2')], '42601'],
    ['a name that is taken', [parse('SELECT 1', 'x'), parse('SELECT 1', 'x')], '42P05'],
    ['too few parameters', [parse('SELECT $1'), bind()], '08P01'],
    ['a parameter that no Bind can reach', [parse('SELECT $1, $2000000000'), describe('S')], '54001'],
    ['too many parameters', [parse(`INSERT INTO t VALUES ${numbered(70_000)}`)], '54001'],
    ['a portal that there is none of', [execute(0, 'nope')], '34000'],
    ['a parameter that is none of its type', [parse('SELECT $1::int'), bind(['x']), execute()], '22P02'],
    ['a message that is cut short', [message('B', text(''))], '08P01'],
  ])('refuses %s', async (_, messages, sqlState) => {
    using client = await open();
    const answer = await client.ask(...messages, sync);
    expect(answer.at(-2)).toContain(`E ERROR ${sqlState}`);
    expect(answer.at(-1)).toBe('Z I');
  });

  it('reads a parameter that occurs many times', async () => {
    using client = await open();
    const insert = `INSERT INTO t VALUES ${'($1),'.repeat(150_000)}($2)`;
    expect(await client.ask(parse(insert), sync)).toEqual(['1', 'Z I']);
  });

  it('reports that the table of a prepared statement has changed', async () => {
    using client = await open();
    await client.ask(query('CREATE TABLE replanned (a INT); INSERT INTO replanned VALUES (1)'));
    await client.ask(parse('SELECT * FROM replanned', 's'), describe('S', 's'), sync);
    await client.ask(query('ALTER TABLE replanned ADD COLUMN b TEXT'));
    const again = [bind([], { statement: 's' }), execute(), sync];
    expect((await client.ask(...again))[1]).toBe('E ERROR 0A000 cached plan must not change result type');
    expect(await client.ask(...again)).toContain('D 1|NULL');
  });
});

group('COPY', () => {
  it('accepts rows in messages of any size', async () => {
    using client = await open();
    await client.ask(query('CREATE TABLE copied (a INT NOT NULL, b TEXT)'));
    client.send(query('COPY copied FROM STDIN'));
    expect((await client.next())?.type).toBe('G');
    const data = Buffer.from('1\tx\\ty\n2\t\\N\n');
    const pieces = [...data].map((byte) => message('d', Buffer.of(byte)));
    expect(await client.ask(...pieces, message('c'))).toEqual(['C COPY 2', 'Z I']);
    expect(await client.ask(query('COPY copied TO STDOUT (FORMAT csv, HEADER)'))).toEqual([
      'H',
      'd "a,b\\n"',
      'd "1,x\\ty\\n"',
      'd "2,\\n"',
      'c',
      'C COPY 2',
      'Z I',
    ]);
  });

  it.each([
    ['SELECT 7 AS a UNION ALL SELECT NULL', ['00010000000400000007', '0001ffffffff', 'ffff']],
    ['SELECT 7 AS a WHERE false', ['ffff']],
  ])('in binary format starts with the header and the first row in one message: %s', async (sql, rows) => {
    using client = await open();
    client.send(query(`COPY (${sql}) TO STDOUT (FORMAT binary)`));
    const sent = (await client.until('Z')).filter(({ type }) => type === 'd');
    const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1').toString('hex');
    const [first, ...others] = rows;
    expect(sent.map(({ body }) => body.toString('hex'))).toEqual([header + first, ...others]);
  });

  it('keeps no rows when the client gives up or a row is malformed', async () => {
    using client = await open();
    await client.ask(query('CREATE TABLE uncopied (a INT NOT NULL)'));
    client.send(query('COPY uncopied FROM STDIN'));
    await client.next();
    expect(await client.ask(message('d', Buffer.from('1\n')), message('f', text('no more')))).toEqual([
      expect.stringMatching(/^E ERROR 57014 .*no more/),
      'Z I',
    ]);
    client.send(query('COPY uncopied FROM STDIN CSV'));
    await client.next();
    const answer = await client.ask(message('d', Buffer.from('1\nx,y\n')), message('c'));
    expect(answer).toEqual([expect.stringMatching(/^E ERROR 22P04/), 'Z I']);
    expect(await client.ask(query('SELECT count(*) FROM uncopied'))).toContain('D 0');
  });

  it('is refused before a row is sent', async () => {
    using client = await open();
    expect(await client.ask(query('COPY nope FROM STDIN'))).toEqual([
      expect.stringMatching(/^E ERROR 42P01/),
      'Z I',
    ]);
    expect((await client.ask(query('COPY nope FROM STDIN BINARY')))[0]).toMatch(/^E ERROR 42P01/);
  });
});

group('cursors and prepared statements of SQL', () => {
  it('are read piece by piece', async () => {
    using client = await open();
    expect((await client.ask(query('DECLARE c CURSOR FOR SELECT 1')))[0]).toMatch(/^E ERROR 25P01/);
    await client.ask(query('BEGIN; DECLARE c CURSOR FOR SELECT i FROM generate_series(1, 5) AS r(i)'));
    expect(await client.ask(query('FETCH 2 FROM c; MOVE 1 FROM c; FETCH ALL c; CLOSE c'))).toEqual([
      ...['T', 'D 1', 'D 2', 'C FETCH 2'],
      'C MOVE 1',
      ...['T', 'D 4', 'D 5', 'C FETCH 2'],
      'C CLOSE CURSOR',
      'Z T',
    ]);
  });

  it('run by name', async () => {
    using client = await open();
    await client.ask(query('PREPARE p(int, text) AS SELECT $1 + 1, $2'));
    expect(await client.ask(query("EXECUTE p(1, 'x')"))).toContain('D 2|x');
    expect((await client.ask(query('EXECUTE p(1)')))[0]).toMatch(/^E ERROR 42601/);
    expect(await client.ask(query('DEALLOCATE ALL'))).toContain('C DEALLOCATE ALL');
    expect((await client.ask(query("EXECUTE p(1, 'x')")))[0]).toMatch(/^E ERROR 26000/);
  });
});

group('what clients do badly', () => {
  const LONG_QUERY = 'SELECT count(*) FROM generate_series(1, 100000000000) AS r(i) WHERE i % 7 = 1';

  it('a cancellation reaches the query of its key', async () => {
    using client = new RawClient(node.postgres);
    client.send(startup({ user: 'tessera' }));
    const key = (await client.until('Z')).find(({ type }) => type === 'K')!.body;
    client.send(query(LONG_QUERY));
    await expect
      .poll(() => rowsOverHttp(node, 'SELECT count(*)::INT FROM information_schema.engine_running_queries'))
      .toEqual([[2]]);
    const cancel = Buffer.concat([int32(80877102), key]);
    const wrong = Buffer.from(cancel);
    wrong[wrong.length - 1]! ^= 1;
    for (const request of [wrong, cancel]) {
      using other = new RawClient(node.postgres);
      other.send(int32(4 + request.length), request);
      await other.closed();
    }
    expect((await client.until('Z')).map(messageText)).toEqual([
      expect.stringMatching(/^E ERROR 57014 .*user request/),
      'Z I',
    ]);
    expect(await client.ask(query('SELECT 1'))).toContain('D 1');
  });

  it('a query ends when its client goes', async () => {
    using client = await open();
    client.send(query(LONG_QUERY));
    const running =
      "SELECT count(*)::INT FROM information_schema.engine_running_queries WHERE query_text LIKE '%100000000000%' AND query_text NOT LIKE '%running%'";
    await expect.poll(() => rowsOverHttp(node, running)).toEqual([[1]]);
    client.socket.destroy();
    await expect.poll(() => rowsOverHttp(node, running)).toEqual([[0]]);
  });

  it('a client that does not read keeps no result in memory', async () => {
    using client = await open();
    client.socket.pause();
    client.send(query("SELECT repeat('x', 1000), i FROM generate_series(1, 100000) AS r(i)"));
    await expect.poll(() => client.socket.readableLength).toBeGreaterThan(0);
    using other = await open();
    expect(await other.ask(query('SELECT 1'))).toContain('D 1');
    client.socket.resume();
    let count = 0;
    for (let next = await client.next(); next?.type !== 'Z'; next = await client.next()) {
      if (next?.type === 'D') count += 1;
    }
    expect(count).toBe(100_000);
  });

  it('a message of an unknown type ends the connection with an error', async () => {
    using client = await open();
    client.send(Buffer.from('\x01\x02\x03\x04\x05\x06'));
    expect((await client.until('Z')).map(messageText)).toEqual([expect.stringMatching(/^E FATAL 08P01/)]);
  });

  it('a client that is silent for longer than its timeout is disconnected', async () => {
    using client = await open();
    await client.ask(query("SET idle_in_transaction_session_timeout = '50ms'"));
    await client.ask(query('BEGIN'));
    expect((await client.until('Z')).map(messageText)).toEqual([expect.stringMatching(/^E FATAL 25P03/)]);
    using other = await open({ options: '-c idle_session_timeout=50' });
    expect((await other.until('Z')).map(messageText)).toEqual([expect.stringMatching(/^E FATAL 57P05/)]);
  });

  it('a statement is stopped at its timeout', async () => {
    using client = await open();
    await client.ask(query("SET statement_timeout = '100ms'"));
    expect((await client.ask(query(LONG_QUERY)))[0]).toMatch(/^E ERROR 57014 .*100 ms/);
  });
});

it('a node that stops notifies idle clients, and lets a running statement finish', async () => {
  await using stopping = await startTessera({ args: ['--postgres-port', '0'] });
  using idle = await RawClient.open(stopping.postgres);
  using busy = await RawClient.open(stopping.postgres);
  busy.send(
    query('BEGIN'),
    query('SELECT count(*) FROM generate_series(1, 10000000) AS r(i) WHERE i % 7 = 1'),
  );
  await busy.until('Z');
  const stopped = stopping.stop();
  expect((await idle.until('Z')).map(messageText)).toEqual([expect.stringMatching(/^E FATAL 57P01/)]);
  expect((await busy.until('E')).map(messageText)).toEqual(expect.arrayContaining(['C SELECT 1']));
  expect(await stopped).toBe(0);
});
