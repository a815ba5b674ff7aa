import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { caretOf } from './errors/caret.ts';
import { startKernel } from './kernel.ts';
import { messagesOf, schemaOf, type TestKernel, testKernel } from './testing/test-kernel.ts';

/** A query that runs until it is interrupted: it cannot be folded away and returns no rows. */
const ENDLESS = 'SELECT count(*) FROM range(10000000000) a WHERE a.range + random() < 0';

let t: TestKernel;
beforeAll(async () => {
  t = await testKernel({ bootstrap: ['CREATE MACRO twice(x) AS x * 2'] });
});
afterAll(() => t[Symbol.asyncDispose]());

describe('calls', () => {
  test('scalar takes every kind of parameter', async () => {
    const s = await t.kernel.session();
    expect(await s.scalar('SELECT twice(21)')).toBe(42);
    expect(await s.scalar('SELECT NULL')).toBeNull();
    expect(await s.scalar('SELECT 1 WHERE false')).toBeNull();
    expect(await s.scalar('SELECT $1', [true])).toBe(true);
    expect(await s.scalar('SELECT $1', [1.5])).toBe(1.5);
    expect(await s.scalar('SELECT $1', [2n ** 100n])).toBe(2n ** 100n);
    expect(await s.scalar('SELECT $1', ['ä\0'.repeat(100_000)])).toBe('ä\0'.repeat(100_000));
    expect(await s.scalar('SELECT typeof($1)', [7])).toBe('BIGINT');
    expect(Buffer.from((await s.scalar('SELECT $1', [Buffer.from([0, 255])])) as Uint8Array)).toEqual(
      Buffer.from([0, 255]),
    );
    await s.close();
  });

  test('an error with a value of megabytes keeps its type, wherever its text is cut', async () => {
    const s = await t.kernel.session();
    for (const text of ['x', '\u0001', '🦆', '\\', 'x"', 'ab\u001f']) {
      const failed = s.scalar('SELECT repeat($1, 400000)::INTEGER', [text]);
      await expect(failed, text).rejects.toMatchObject({
        name: 'CAST_ERROR',
        message: expect.stringMatching(/^invalid input syntax for type integer: "/),
      });
    }
    await s.close();
  });

  test('named parameters, and a wrong number of them', async () => {
    const s = await t.kernel.session();
    const result = await s.query('SELECT $a::INT + $b::INT AS c', { a: 1, b: 2 });
    const parts = [result.schemaIpc];
    for await (const batch of result.batches) parts.push(batch.ipc);
    expect(tableFromIPC(parts).get(0)?.toJSON()).toEqual({ c: 3 });
    await expect(s.scalar('SELECT $1', [])).rejects.toThrow(/takes 1 parameters, 0 were given/);
    await s.close();
  });

  test('describe returns columns and parameters without running the statement', async () => {
    const s = await t.kernel.session();
    const { columns, parameters } = await s.describe(
      "SELECT $n::INTEGER AS n, {'a': [1.5]} AS s, error('never') AS e",
    );
    expect(columns[1]).toEqual({
      name: 's',
      type: {
        id: 'STRUCT',
        fields: [{ name: 'a', type: { id: 'LIST', child: { id: 'DECIMAL', width: 2, scale: 1 } } }],
      },
    });
    expect(parameters).toEqual([{ name: 'n', type: { id: 'INTEGER' } }]);
    await s.close();
  });

  test('batches are a valid Arrow stream with its dictionaries, and text columns are at hand', async () => {
    const s = await t.kernel.session();
    const result = await s.query(
      "SELECT [range] AS l, range::VARCHAR AS s, 'b'::ENUM('a', 'b') AS e FROM range(300000)",
    );
    const parts = [result.schemaIpc];
    let text = '';
    for await (const batch of result.batches) {
      parts.push(batch.ipc);
      text += Buffer.from(batch.textColumn(1)).toString('latin1');
    }
    const table = tableFromIPC(parts);
    expect(table.numRows).toBe(300_000);
    expect(table.get(299_999)?.toJSON()).toMatchObject({ s: '299999', e: 'b' });
    expect(text.endsWith('299998299999')).toBe(true);
    await s.close();
  });

  test('errors have a row of the error table and a location', async () => {
    const s = await t.kernel.session();
    const failure = async (sql: string) =>
      s.scalar(sql).then(
        () => undefined,
        (error: unknown) => error as Error,
      );
    for (const [sql, name, caret] of [
      ["SELECT 'ä', nope", 'UNDEFINED_NAME', 12],
      ['SELECT * FROM nope', 'UNDEFINED_TABLE', 14],
      ['SELECT nope(1)', 'UNDEFINED_FUNCTION', 7],
      ['SELEC 1', 'SYNTAX_ERROR', 0],
      ['SELECT a FROM (SELECT 1 a) x, (SELECT 2 a) y', 'AMBIGUOUS_NAME', 7],
      ["SELECT 'x'::INT", 'CAST_ERROR', 10],
      ['SELECT 2147483648::INT', 'OUT_OF_RANGE', 17],
      ['SELECT 9223372036854775807 + 1', 'OUT_OF_RANGE', undefined],
      ["SELECT error('division by zero')", 'DIVISION_BY_ZERO', undefined],
      [`SELECT error('relation "x" does not exist')`, 'UNDEFINED_TABLE', undefined],
      ["FROM read_text('/etc/passwd')", 'FORBIDDEN', 5],
      ['SELECT 1\0', 'INVALID_ENCODING', undefined],
    ] as const) {
      const error = await failure(sql);
      expect([sql, error?.name, caretOf(error)]).toEqual([sql, name, caret]);
    }
    expect(await s.scalar('SELECT 1')).toBe(1);
    await s.close();
  });

  test('a long statement does all that a short one does', async () => {
    const s = await t.kernel.session();
    // Two bytes are one character, so the place of an error is not its byte.
    const long = `/* ${'é'.repeat(100_000)} */ `;
    const failure = (answer: Promise<unknown>) => answer.catch((error: unknown) => error as Error);
    expect(await s.scalar(`${long}SELECT $1 + 1`, [1])).toBe(2);
    expect(await s.execute(`${long}CREATE TEMP TABLE long AS SELECT 1 AS n`)).toBe(0);
    expect((await s.describe(`${long}SELECT n FROM long`)).columns.map(({ name }) => name)).toEqual(['n']);
    await s.change(`${long}DROP TABLE long`);
    const result = await s.query(`${long}SELECT length($text)::INT AS n`, { text: long }, { keep: true });
    const parts = [result.schemaIpc];
    for await (const batch of result.batches) parts.push(batch.ipc);
    expect(tableFromIPC(parts).get(0)?.toJSON()).toEqual({ n: long.length });
    for (const sql of [`${long}SELECT nope`, `${long}SELECT 1\0`]) {
      const error = await failure(s.scalar(sql));
      const expected = sql.endsWith('nope')
        ? ['UNDEFINED_NAME', long.length + 7]
        : ['INVALID_ENCODING', undefined];
      expect([(error as { name?: string }).name, caretOf(error)]).toEqual(expected);
    }
    const value = 'x'.repeat(200_000);
    const error = (await failure(s.scalar(`SELECT $1::VARCHAR::INT`, [value]))) as Error;
    expect(error).toMatchObject({
      name: 'CAST_ERROR',
      message: expect.stringContaining('type integer: "xxx'),
    });
    const late = `${long}SELECT CASE WHEN i = 300000 THEN 'a' ELSE '1' END::INT AS a FROM generate_series(1, 300000) AS g(i)`;
    const read = async () => {
      for await (const batch of (await s.query(late)).batches) void batch;
    };
    expect(caretOf(await failure(read()))).toBe(late.indexOf('::INT'));
    await s.close();
  });

  test('a connection on which a long statement has set the seed is not reused', async () => {
    const long = `/* ${'a'.repeat(100_000)} */ `;
    const seeded = async () => {
      const session = await t.kernel.session();
      await session.execute(`${long}SELECT SETSEED(0.5) ${long}`);
      return session;
    };
    const random = 'SELECT random()';
    const first = await seeded();
    expect(await first.scalar(random)).toBeTypeOf('number');
    const following = await first.scalar(random);
    await first.close();
    const second = await seeded();
    await second.scalar(random);
    await second.close();
    const next = await t.kernel.session();
    expect(await next.scalar(random)).not.toBe(following);
    await next.close();
  });

  test('the kernel reads its directories and nothing else, and cannot be unlocked', async () => {
    mkdirSync(join(t.directory, 'files'), { recursive: true });
    writeFileSync(join(t.directory, 'files', 'a.csv'), 'x\n1\n');
    const s = await t.kernel.session();
    expect(await s.scalar(`SELECT sum(x) FROM read_csv('${t.directory}/files/a.csv')`)).toBe(1);
    for (const sql of [
      `FROM read_csv('${t.directory}/files/../other.csv')`,
      `ATTACH '${t.directory}/x.db'`,
      `COPY (SELECT 1) TO '${t.directory}/x.csv'`,
      'SET enable_external_access = true',
      "SET allowed_directories = ['/']",
      'SET lock_configuration = false',
      "LOAD 'x'",
    ]) {
      await expect(s.execute(sql), sql).rejects.toThrow();
    }
    await s.close();
  });
});

describe('sessions', () => {
  test('see nothing of each other, even when a connection is reused', async () => {
    for (let i = 0; i < 3; i++) {
      const s = await t.kernel.session({ timeZone: i === 0 ? 'Asia/Tokyo' : 'UTC' });
      await expect(s.scalar('SELECT count(*) FROM mine')).rejects.toMatchObject({ name: 'UNDEFINED_TABLE' });
      expect(await s.scalar("SELECT current_setting('TimeZone')")).toBe(i === 0 ? 'Asia/Tokyo' : 'UTC');
      await s.execute('CREATE TEMP TABLE mine AS SELECT 1');
      await s.close();
    }
  });

  test('an unknown time zone fails the call', async () => {
    const s = await t.kernel.session({ timeZone: "Nowhere/X'" });
    await expect(s.scalar('SELECT 1')).rejects.toMatchObject({ name: 'INVALID_ARGUMENT' });
    await s.close();
  });

  test('progress of a running query is reported; interrupt stops it and leaves the session usable', {
    timeout: 60_000,
  }, async () => {
    const s = await t.kernel.session();
    await s.execute('CREATE TEMP TABLE n AS SELECT range AS r FROM range(5000000)');
    // Progress is reported between two chunks of work, so each chunk must be short, even on a busy machine.
    const small = '(SELECT r FROM n WHERE r < 300)';
    const call = s.scalar(`SELECT count(*) FROM n AS a, ${small} AS b WHERE a.r + b.r + random() < 0`);
    call.catch(() => undefined);
    await vi.waitFor(async () => expect((await s.progress()).rowsTotal).toBeGreaterThan(0), {
      timeout: 25_000,
    });
    s.interrupt();
    await expect(call).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    expect(await s.scalar('SELECT 1')).toBe(1);
    await s.close();
  });

  test('the rows of all scans are known, whatever joins are expected to return', {
    timeout: 60_000,
  }, async () => {
    const s = await t.kernel.session();
    // The optimiser expects the inner aggregate to return a billion rows.
    const joined =
      'SELECT a.k AS k, count(*) AS n FROM big a JOIN big b ON a.k % 100 = b.k % 100 GROUP BY a.k';
    await t.kernel.session().then(async (other) => {
      await other.change('CREATE OR REPLACE TABLE big AS SELECT range AS k FROM range(100000)');
      await other.close();
    });
    const call = s.scalar(`SELECT count(*) FROM (${joined}) WHERE n + random() < 0`);
    call.catch(() => undefined);
    // The kernel knows its own total when it has begun to run the statement.
    await vi.waitFor(
      async () => {
        const { planned, rowsTotal } = await s.progress();
        expect(planned?.scanned).toBe(200_000);
        expect(rowsTotal).toBeGreaterThan(200_000);
      },
      { timeout: 25_000 },
    );
    await vi.waitFor(async () => expect((await s.progress()).read).toBeGreaterThanOrEqual(0.5), {
      timeout: 25_000,
    });
    expect((await s.progress()).fraction).toBeGreaterThan(0);
    s.interrupt();
    await expect(call).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    await s.change('DROP TABLE big');
    await s.close();
  });

  test('a query reports the cost of its operators on demand, whether its rows are streamed or not', async () => {
    const s = await t.kernel.session();
    await s.execute('CREATE TEMP TABLE few AS SELECT range AS k FROM range(1000)');
    for (const fewRows of [false, true]) {
      const sql = 'SELECT k % 7 AS r, count(*) FROM few WHERE k >= 100 GROUP BY ALL';
      const result = await s.query(sql, [], { profiled: true, fewRows });
      for await (const batch of result.batches) batch.release();
      const profile = result.profile()!;
      expect(profile.peakMemoryBytes).toBeGreaterThan(0);
      const all = [profile.operators];
      for (const { inputs } of all) all.push(...inputs);
      const scan = all.find(({ description }) => /\bfew\b/.test(description));
      expect(scan).toMatchObject({ rows: 900, inputs: [] });
      expect(scan!.bytes).toBeGreaterThan(0);
      expect(all.find(({ name }) => /GROUP_BY/.test(name))).toMatchObject({ rows: 7 });
      expect(all.every(({ timeMs }) => timeMs >= 0)).toBe(true);
    }
    const unprofiled = await s.query('SELECT 1');
    for await (const batch of unprofiled.batches) batch.release();
    expect(unprofiled.profile()).toBeUndefined();
    await s.close();
  });

  test('an interrupt at any moment is not lost', async () => {
    const s = await t.kernel.session();
    for (let i = 0; i < 20; i++) {
      const call = s.scalar(ENDLESS);
      call.catch(() => undefined);
      for (let turn = 0; turn < i; turn++) await new Promise(setImmediate);
      s.interrupt();
      await expect(call).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    }
    await s.close();
  });

  test('a result that nobody read does not stall the next session on the connection', async () => {
    for (let i = 0; i < 10; i++) {
      const s = await t.kernel.session();
      expect(await s.scalar('SELECT $1', [i])).toBe(i);
      await s.query('SELECT range FROM range(9000)', [], { maxBatchBytes: 1 });
      await new Promise(setImmediate);
      await s.close();
    }
  });

  test('close stops what runs and frees its tables', async () => {
    const s = await t.kernel.session();
    await s.execute('CREATE TEMP TABLE big AS SELECT range, hash(range) AS h FROM range(5000000)');
    expect((await t.kernel.memory()).usedBytes).toBeGreaterThan(30e6);
    const call = s.scalar(ENDLESS);
    call.catch(() => undefined);
    await s.close();
    await expect(call).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    await expect.poll(async () => (await t.kernel.memory()).usedBytes).toBeLessThan(10e6);
  });

  test('ending the iteration cancels the query; a slow reader holds it back', async () => {
    const s = await t.kernel.session();
    const result = await s.query('SELECT range, random() FROM range(2000000000)');
    let rows = 0;
    for await (const batch of result.batches) {
      rows += batch.rows;
      if (rows > 1_000_000) break;
    }
    expect(await s.scalar('SELECT 1')).toBe(1);
    await s.close();
  });

  test('a slow producer does not hold rows back', async () => {
    const s = await t.kernel.session();
    const slow =
      'SELECT range FROM range(40000000) WHERE range = 0 OR (range > 39999990 AND sqrt(range) > 1)';
    const result = await s.query(`${slow} AND hash(hash(hash(range))) > 0`);
    const batches: number[] = [];
    for await (const batch of result.batches) batches.push(batch.rows);
    expect(batches.reduce((sum, rows) => sum + rows)).toBe(10);
    await s.close();
  });

  test('running out of memory is an error and does not end the process', async () => {
    await using small = await testKernel({ memoryLimitBytes: 50e6, threads: 1 });
    const s = await small.kernel.session();
    const error = s.scalar('SELECT len(list(range::VARCHAR)) FROM range(20000000)');
    await expect(error).rejects.toMatchObject({ name: 'OUT_OF_MEMORY' });
    expect(await s.scalar('SELECT 1')).toBe(1);
  });
});

describe('supervision', () => {
  test('a kernel that is killed fails its calls with KERNEL_LOST and is replaced', async () => {
    await using own = await testKernel();
    const s = await own.kernel.session();
    const call = s.scalar(ENDLESS);
    call.catch(() => undefined);
    const pid = own.kernel.status().pid!;
    process.kill(pid, 'SIGKILL');
    await expect(call).rejects.toMatchObject({ name: 'KERNEL_LOST', retry: 'query' });
    await expect(s.scalar('SELECT 1')).rejects.toMatchObject({ name: 'KERNEL_LOST' });
    await s.close();
    await expect.poll(() => own.kernel.status()).toMatchObject({ ready: true, restarts: 1 });
    const next = await own.kernel.session();
    expect(await next.scalar('SELECT 2')).toBe(2);
    expect(own.kernel.status().pid).not.toBe(pid);
    await expect.poll(() => readdirSync(join(own.directory, 'kernel'))).toEqual(['process-1']);
  });

  test('an append into a kernel that dies fails with KERNEL_LOST', async () => {
    await using own = await testKernel();
    const s = await own.kernel.session();
    const source = await t.kernel.session();
    const result = await source.query('SELECT range FROM range(100000000)');
    const append = s.append('x', schemaOf(result), messagesOf(result));
    append.catch(() => undefined);
    process.kill(own.kernel.status().pid!, 'SIGKILL');
    await expect(append).rejects.toMatchObject({ name: 'KERNEL_LOST' });
    expect(await source.scalar('SELECT 1')).toBe(1);
    await source.close();
  });

  test('a session that comes when the quarantine process is being ended gets another one', async () => {
    await using own = await testKernel();
    const first = await own.kernel.session({ quarantine: true });
    const { processId } = first;
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      await first.close();
      vi.runOnlyPendingTimers();
    } finally {
      vi.useRealTimers();
    }
    const second = await own.kernel.session({ quarantine: true });
    expect(second.processId).not.toBe(processId);
    expect(await second.scalar('SELECT 1')).toBe(1);
    await second.close();
  });

  test('quarantine is another process, one session at a time', async () => {
    await using own = await testKernel();
    // However long this takes, the process takes its second session.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    const first = await own.kernel.session({ quarantine: true });
    let secondOpen = false;
    const second = own.kernel.session({ quarantine: true }).then((s) => {
      secondOpen = true;
      return s;
    });
    expect(await first.scalar('SELECT 1')).toBe(1);
    expect(secondOpen).toBe(false);
    expect(own.kernel.status().sessions).toBe(0);
    await first.close();
    const s = await second;
    expect(await s.scalar('SELECT 2')).toBe(2);
    await s.close();
    clock.mockRestore();
  });

  test('files of an earlier run are removed at start, and close leaves none', async () => {
    await using own = await testKernel();
    const directory = join(own.directory, 'again');
    mkdirSync(join(directory, 'process-0', 'spill'), { recursive: true });
    writeFileSync(join(directory, 'process-0', 'spill', 'old'), 'x');
    const log = { info() {}, warn() {}, error() {} };
    const kernel = await startKernel({
      directory,
      readableDirectories: [],
      memoryLimitBytes: 1e8,
      threads: 1,
      bootstrap: [],
      log,
    });
    expect(existsSync(join(directory, 'process-0', 'spill', 'old'))).toBe(false);
    const { pid } = kernel.status();
    await kernel.close();
    expect(() => process.kill(pid!, 0)).toThrow();
    expect(readdirSync(directory)).toEqual([]);
    await expect(kernel.session()).rejects.toMatchObject({ name: 'NOT_READY' });
  });

  test('a failing bootstrap is reported', async () => {
    await expect(testKernel({ bootstrap: ['CREATE MACRO'] })).rejects.toMatchObject({ name: 'NOT_READY' });
  });
});
