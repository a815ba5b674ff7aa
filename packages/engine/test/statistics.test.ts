import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kernelThreads } from './faults/kernel-processes.ts';
import { query, resultFile, rows, upload } from './http.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

/**
 * Tests statistics in answers and in the history. The columns are random, so that their stored sizes are
 * known.
 */
const ROWS = 100_000;
const BIGINT_BYTES = 8 * ROWS;

let directory: string;
let server: TesseraProcess;
let parquet: Blob;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-statistics-'));
  const config = join(directory, 'config.yaml');
  await writeFile(config, 'schema_version: "1.0"\nexecution:\n  max_threads: 2\n');
  server = await startTessera({ args: ['--config', config] });
  await rowless('CREATE TABLE wide (id INT, a BIGINT, b BIGINT, t TEXT) PRIMARY INDEX id');
  await rowless(
    `INSERT INTO wide SELECT n, hash(n)::BIGINT >> 1, hash(-n)::BIGINT >> 1, md5(n::TEXT) FROM generate_series(1, ${ROWS}) g(n)`.replaceAll(
      '::BIGINT >> 1',
      ' % 9223372036854775807',
    ),
  );
  parquet = await resultFile(server, 'Parquet', 'SELECT a, b, t FROM wide');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

async function rowless(sql: string): Promise<void> {
  const answer = await query(server, sql);
  expect(answer.status, answer.text).toBe(200);
}

interface Statistics {
  readonly rows_read: number;
  readonly bytes_read: number;
  readonly scanned_bytes_cache: number;
  readonly scanned_bytes_storage: number;
}

let queries = 0;

/** The statistics in a statement's answer; checks that the history has the same. */
async function statistics(sql: string, files: Readonly<Record<string, Blob>> = {}): Promise<Statistics> {
  const query_id = `statistics-${++queries}`;
  const params = { output_format: 'JSON_Compact', query_id };
  const answer = await upload(server, sql, files, params);
  expect(answer.status, answer.text).toBe(200);
  const statistics = answer.json().statistics as Statistics;
  expect(statistics.bytes_read).toBeGreaterThanOrEqual(
    statistics.scanned_bytes_cache + statistics.scanned_bytes_storage,
  );
  expect(await history(query_id)).toEqual([
    statistics.rows_read,
    statistics.bytes_read,
    statistics.scanned_bytes_cache,
    statistics.scanned_bytes_storage,
  ]);
  return statistics;
}

async function history(queryId: string): Promise<readonly number[]> {
  const [row] = await rows(
    server,
    `SELECT scanned_rows, scanned_bytes, scanned_cache_bytes, scanned_storage_bytes
     FROM information_schema.engine_query_history WHERE query_id = '${queryId}'`,
  );
  return row!.map(Number);
}

const isAbout = (bytes: number, expected: number) => {
  expect(bytes).toBeGreaterThan(0.95 * expected);
  expect(bytes).toBeLessThan(1.1 * expected);
};

const isInMemory = async (sql: string) =>
  JSON.stringify(await rows(server, `EXPLAIN ${sql}`)).includes('in memory');

describe('a managed table', () => {
  it('counts the column that a sum reads, and all rows, from files and from memory', async () => {
    const sum = 'SELECT sum(a % 2) FROM wide';
    const first = await statistics(sum);
    expect(first.rows_read).toBe(ROWS);
    isAbout(first.bytes_read, BIGINT_BYTES);
    await expect.poll(() => isInMemory(sum)).toBe(true);
    const resident = await statistics('SELECT sum(a % 3) FROM wide');
    expect(resident).toMatchObject({
      rows_read: ROWS,
      bytes_read: first.bytes_read,
      scanned_bytes_storage: 0,
    });
  });

  it('counts every column that is read', async () => {
    isAbout((await statistics('SELECT sum(a % 2), max(b) FROM wide')).bytes_read, 2 * BIGINT_BYTES);
    const all = await statistics('SELECT * FROM wide LIMIT 1');
    expect(all.bytes_read).toBeGreaterThan(2 * BIGINT_BYTES);
    const none = await statistics('SELECT count(*) FROM wide');
    expect(none).toMatchObject({ rows_read: ROWS, bytes_read: 0 });
  });

  it('does not count deleted rows or pruned granules and tablets', async () => {
    await rowless(
      `CREATE TABLE pruned (id INT, a BIGINT, p INT) PRIMARY INDEX id PARTITION BY p WITH (index_granularity = 8192)`,
    );
    await rowless(`INSERT INTO pruned SELECT id, a, id % 2 FROM wide`);
    const one = await statistics('SELECT sum(a % 2) FROM pruned WHERE p = 1');
    expect(one.rows_read).toBe(ROWS / 2);
    const few = await statistics('SELECT max(a) FROM pruned WHERE id BETWEEN 10 AND 20 AND p = 1');
    expect(few.rows_read).toBeLessThanOrEqual(ROWS / 2);
    await rowless('DELETE FROM pruned WHERE id <= 1000');
    expect((await statistics('SELECT sum(a % 3) FROM pruned')).rows_read).toBe(ROWS - 1000);
  });

  it('counts what a change reads, for the history', async () => {
    await rowless('CREATE TABLE target (a BIGINT)');
    const query_id = `statistics-${++queries}`;
    await query(server, 'INSERT INTO target SELECT a FROM wide', { query_id });
    const [readRows, bytes] = await history(query_id);
    expect(readRows).toBe(ROWS);
    isAbout(bytes!, BIGINT_BYTES);
  });

  it('counts all statements of a request', async () => {
    const answer = await query(server, 'SELECT sum(a) FROM wide; SELECT sum(b) FROM wide', {
      enable_multi_query_requests: 'true',
      output_format: 'JSON_Compact',
    });
    expect(answer.json().statistics.rows_read).toBe(2 * ROWS);
  });

  it('is not counted by a statement that reads nothing', async () => {
    expect(await statistics('SELECT 42')).toMatchObject({ rows_read: 0, bytes_read: 0 });
  });
});

describe('files', () => {
  it('in Parquet format count the columns that the query names, and all rows', async () => {
    const one = await statistics(`SELECT max(b) FROM READ_PARQUET('upload://p')`, { p: parquet });
    expect(one.rows_read).toBe(ROWS);
    isAbout(one.bytes_read, BIGINT_BYTES);
    const all = await statistics(
      `SELECT count(DISTINCT t), max(a % 2 + b % 2) FROM READ_PARQUET('upload://p')`,
      {
        p: parquet,
      },
    );
    expect(all.bytes_read).toBeLessThanOrEqual(parquet.size);
    isAbout(all.bytes_read, parquet.size);
  });

  it('count with their size if they are text', async () => {
    const csv = new Blob(['a\n1\n2\n']);
    expect(
      await statistics(`SELECT count(*) FROM READ_CSV('upload://c', HEADER => TRUE)`, { c: csv }),
    ).toEqual(
      expect.objectContaining({ bytes_read: csv.size, scanned_bytes_cache: 0, scanned_bytes_storage: 0 }),
    );
  });
});

describe('progress', () => {
  type Message = Readonly<Record<string, unknown>>;

  const started = (sql: string, query_id: string) =>
    fetch(
      `${server.url}?${new URLSearchParams({ output_format: 'JSONLines_Compact', progress: 'true', query_id })}`,
      { method: 'POST', body: sql },
    );

  /** The messages of an answer, as they arrive. */
  async function* messages(answer: Response): AsyncGenerator<Message> {
    let rest = '';
    for await (const text of answer.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) yield JSON.parse(line);
    }
  }

  beforeAll(() => rowless('CREATE TABLE few AS SELECT n FROM generate_series(1, 1000) AS g(n)'));

  it('is sent before the result and shown in engine_running_queries, and never goes back', async () => {
    const answer = await started('SELECT max(md5(a.t || b.n)) FROM wide a, few b, few c', 'watched');
    const percents: number[] = [];
    let last: Message = {};
    for await (const message of messages(answer)) {
      last = message;
      if (message.message_type !== 'PROGRESS') continue;
      expect(message).toMatchObject({ status: 'RUNNING', nodes: 1, stages: 0, tasks: 0 });
      if (message.percent !== null) percents.push(message.percent as number);
      if (percents.length !== 3) continue;
      const [row] = await rows(
        server,
        `SELECT percent, nodes, rows_read <= ${ROWS} + 2000 FROM information_schema.engine_running_queries WHERE query_id = 'watched'`,
      );
      expect(row).toEqual([expect.any(Number), 1, true]);
      // Messages that were sent before this answer may still be on their way.
      expect(row![0]).toBeGreaterThanOrEqual(percents.at(-1)!);
      await fetch(`${server.url}/cancel?query_id=watched`, { method: 'POST' });
    }
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    expect(last).toMatchObject({ message_type: 'FINISH_WITH_ERRORS', errors: [{ name: 'QUERY_CANCELLED' }] });
  });

  it('a statement without rows ends with a message', async () => {
    const sql = 'INSERT INTO few SELECT max(length(md5(a.t || b.n))) FROM wide a, few b WHERE b.n <= 60';
    const all: Message[] = [];
    for await (const message of messages(await started(sql, 'inserted'))) all.push(message);
    expect(all[0]).toMatchObject({ message_type: 'PROGRESS' });
    expect(all.at(-1)).toMatchObject({ message_type: 'FINISH_SUCCESSFULLY', affected_rows: 1 });
  });
});

describe('settings of how a statement reads and runs', () => {
  const EXPENSIVE = 'SELECT count(*)::int FROM many WHERE md5(md5(n::TEXT)) < md5(n::TEXT)';
  const count = async (sql: string, settings: Readonly<Record<string, string>>) => {
    const answer = await query(server, sql, { enable_result_cache: 'false', ...settings });
    expect(answer.status, answer.text).toBe(200);
    return answer.text;
  };
  beforeAll(async () => {
    await rowless('CREATE TABLE many AS SELECT n FROM generate_series(1, 400000) g(n)');
  });

  it('enable_scan_cache: a statement without it reads files, and loads nothing into memory', async () => {
    await rowless('CREATE TABLE other AS SELECT 1 AS n');
    const expected = await count(EXPENSIVE, { enable_scan_cache: 'false' });
    // Tables are loaded one after the other.
    await count('SELECT sum(n) FROM other', {});
    await expect.poll(() => isInMemory('SELECT sum(n) FROM other')).toBe(true);
    expect(await isInMemory(EXPENSIVE)).toBe(false);
    expect(await count(EXPENSIVE, {})).toEqual(expected);
    await expect.poll(() => isInMemory(EXPENSIVE)).toBe(true);
    const without = await query(server, `EXPLAIN (ANALYZE) ${EXPENSIVE}`, { enable_scan_cache: 'false' });
    expect(without.text).toContain('tablets hot 0');
    expect(without.text).not.toContain('in memory');
  });

  it('max_threads: a statement uses no more threads, however it is set, and has the same answer', async () => {
    await count(EXPENSIVE, {});
    await expect.poll(() => isInMemory(EXPENSIVE)).toBe(true);
    // The kernel opens a database for such statements.
    await count('SELECT 1', { max_threads: '1' });
    const answers: string[] = [];
    const threads = (sql: string, settings: Readonly<Record<string, string>>) =>
      kernelThreads(server, async () => answers.push(await count(sql, settings)));
    expect(await threads(EXPENSIVE, {})).toBe(2);
    expect(await threads(EXPENSIVE, { max_threads: '1' })).toBe(1);
    expect(await threads(`${EXPENSIVE} WITH (max_threads = 1)`, {})).toBe(1);
    expect(await threads(EXPENSIVE, { max_threads: '2' })).toBe(2);
    const stored = `CREATE TABLE stored AS SELECT md5(md5(n::TEXT)) AS t FROM many ORDER BY 1`;
    expect(await kernelThreads(server, () => query(server, stored, { max_threads: '1' }))).toBe(1);
    expect(new Set(answers).size).toBe(1);
    expect(await rows(server, 'SELECT count(*)::int FROM stored')).toEqual([[400_000]]);
  });
});

it('one node plans joins of tables in memory with their numbers of distinct values', async () => {
  await rowless('CREATE TABLE tens AS SELECT n % 10 AS k FROM generate_series(1, 20000) AS g(n)');
  const sql = 'SELECT count(*)::int FROM tens a JOIN tens b ON a.k = b.k';
  const expectedRows = async () => {
    const plan = String(await rows(server, `EXPLAIN (ANALYZE) ${sql}`));
    return Number(/Hash join \[.*?\(about ([\d,]+) expected\)/.exec(plan)?.[1]?.replaceAll(',', ''));
  };
  // The kernel knows only the number of rows of files. A row meets every tenth, because k has ten values.
  expect(await expectedRows()).toBe(20_000);
  expect(await rows(server, sql)).toEqual([[40_000_000]]);
  await expect.poll(expectedRows, { timeout: 30_000 }).toBeGreaterThan(20_000 * 1_000);
});
