import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryShares } from '@tessera/config';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { metric } from './cluster/metrics.ts';
import { query, rows } from './http.ts';
import { startTessera, type TesseraProcess } from './tessera-process.ts';

const LIMIT_BYTES = 1024 * 1024 * 1024;
const TIMEOUT_MS = 90_000;
/** The merging of committed tablets would begin with ten, and is off. */
const BAD_TABLETS = 12;

let directory: string;
let server: TesseraProcess;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-limits-'));
  const config = {
    schema_version: '1.0',
    engine: {
      max_server_memory_usage: LIMIT_BYTES,
      auto_vacuum: { enabled: true, assessment_frequency: 1, min_bad_tablets_threshold: BAD_TABLETS },
      eviction: { tablet_ttl_before_full_eviction_seconds: 1 },
    },
    execution: { max_threads: 1, merge_committed_tablets: false },
  };
  await writeFile(join(directory, 'tessera.json'), JSON.stringify(config));
  server = await startTessera({ args: ['--config', join(directory, 'tessera.json')] });
}, TIMEOUT_MS);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

interface KernelProcess {
  readonly pid: number;
  readonly memoryLimitBytes: number;
  readonly threads: number;
}

/** The kernel processes that the node always has, with their options. */
async function kernels(): Promise<KernelProcess[]> {
  const children = await childrenOf(server.child.pid!);
  const all = await Promise.all(
    children.map(async (child): Promise<KernelProcess[]> => {
      // A quarantine process may just have ended; its command line is empty then.
      const words = (await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')).split('\0');
      const options = words.find((word) => word.startsWith('{'));
      if (options === undefined || words.some((word) => word.includes('/quarantine-'))) return [];
      return [{ ...(JSON.parse(options) as Omit<KernelProcess, 'pid'>), pid: child }];
    }),
  );
  return all.flat();
}

const childrenOf = async (pid: number): Promise<number[]> =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number);

/** The processor time of a process so far, in clock ticks. */
async function ticks(pid: number): Promise<number> {
  const [, fields = ''] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ');
  const [user, system] = fields.split(' ').slice(11, 13);
  return Number(user) + Number(system);
}

describe('engine.max_server_memory_usage', () => {
  it('is divided between the kernels of the node', async () => {
    const { kernelBytes, mirrorBytes } = memoryShares(LIMIT_BYTES);
    const limits = (await kernels()).map(({ memoryLimitBytes }) => memoryLimitBytes);
    expect(limits.sort((a, b) => a - b)).toEqual([mirrorBytes, kernelBytes].sort((a, b) => a - b));
  });

  it(
    'limits the memory that queries use',
    async () => {
      const [{ pid }] = (await kernels()).sort((a, b) => b.memoryLimitBytes - a.memoryLimitBytes) as [
        KernelProcess,
      ];
      const answer = await query(
        server,
        'SELECT count(DISTINCT md5(n::text)) FROM generate_series(1, 8000000) AS g(n)',
        { output_format: 'JSON_Compact' },
      );
      expect(answer.json().data).toEqual([['8000000']]);
      const peak = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
      expect(Number(peak) * 1024).toBeLessThan(LIMIT_BYTES);
    },
    TIMEOUT_MS,
  );
});

/** The private memory of a process in bytes; 0 if it has ended. */
const ownMemory = (pid: number): Promise<number> =>
  readFile(`/proc/${pid}/status`, 'utf8').then(
    (status) => 1024 * Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0),
    () => 0,
  );

/**
 * Checks that the statement fails for lack of memory while others are answered, and that the node stays
 * within its limit.
 */
async function failsAlone(sql: string): Promise<void> {
  const node = server.child.pid!;
  const [{ pid: kernel }] = (await kernels()).sort((a, b) => b.memoryLimitBytes - a.memoryLimitBytes) as [
    KernelProcess,
  ];
  let isRunning = true;
  let peak = 0;
  const others: number[] = [];
  const beside = (async () => {
    while (isRunning) {
      const pids = [node, ...(await childrenOf(node))];
      const own = await Promise.all(pids.map(ownMemory));
      peak = Math.max(
        peak,
        own.reduce((sum, bytes) => sum + bytes, 0),
      );
      others.push((await query(server, 'SELECT 1')).status);
    }
  })();
  const answer = await query(server, sql, { output_format: 'JSON_Compact' });
  isRunning = false;
  await beside;
  expect(answer.json().errors[0]).toMatchObject({
    name: 'OUT_OF_MEMORY',
    description: expect.stringContaining('engine.max_server_memory_usage'),
  });
  expect(others.every((status) => status === 200)).toBe(true);
  expect((await kernels()).map(({ pid }) => pid)).toContain(kernel);
  expect(peak).toBeLessThan(LIMIT_BYTES);
}

describe('one statement that needs more memory than there is', () => {
  it.each([
    'SELECT length(range(2000000000))',
    'SELECT length(range(100000000))',
    'SELECT sum(length(repeat(n::text, 10000000))) FROM generate_series(1, 400) AS g(n)',
    "SELECT length(string_agg(md5(n::text), ',')) FROM generate_series(1, 30000000) AS g(n)",
    // These grow by small allocations.
    'SELECT mode(n) FROM generate_series(1, 30000000) AS g(n)',
    'SELECT length(histogram(n)::text) FROM generate_series(1, 30000000) AS g(n)',
  ])('fails and takes nothing else with it: %s', failsAlone, TIMEOUT_MS);
});

const READS_AT_ONCE = 12;

/** A file with nine columns of text, for which inference searches for other types. */
const textFile = (): string => {
  const rows = Array.from({ length: 200 }, (_, row) =>
    Array.from({ length: 9 }, (_, column) => `"text ${row} ${column}"`).join(','),
  );
  return `a,b,c,d,e,f,g,h,i\n${rows.join('\n')}\n`;
};

test(
  `${READS_AT_ONCE} statements at once infer the columns of small files`,
  async () => {
    const sql = "SELECT count(*) FROM READ_CSV('upload://data', HEADER => TRUE, INFER_SCHEMA => TRUE)";
    const answers = await Promise.all(
      Array.from({ length: READS_AT_ONCE }, () => rows(server, sql, { data: new Blob([textFile()]) })),
    );
    expect(answers).toEqual(answers.map(() => [['200']]));
  },
  TIMEOUT_MS,
);

describe('execution.max_threads', () => {
  it(
    'limits the processors that one query uses',
    async () => {
      const kernelsNow = await kernels();
      expect(kernelsNow.map(({ threads }) => threads)).toEqual([1, 1]);
      const before = await Promise.all(kernelsNow.map(({ pid }) => ticks(pid)));
      const startedAt = performance.now();
      await rows(server, 'SELECT count(*) FROM generate_series(1, 200000000) AS g(n) WHERE n % 7 = 3');
      const elapsedTicks = (performance.now() - startedAt) / 10;
      const after = await Promise.all(kernelsNow.map(({ pid }) => ticks(pid)));
      const used = Math.max(...after.map((now, i) => now - before[i]!));
      expect(used).toBeGreaterThan(0);
      expect(used).toBeLessThan(1.3 * elapsedTicks + 20);
    },
    TIMEOUT_MS,
  );
});

describe('engine.auto_vacuum and engine.eviction', () => {
  it(
    'tablets are assessed and merged, if there are enough, and leave the disk when nobody reads them',
    async () => {
      for (const [table, inserts] of [
        ['few', BAD_TABLETS - 1],
        ['enough', BAD_TABLETS],
      ] as const) {
        await query(server, `CREATE TABLE ${table} (a BIGINT, b TEXT)`);
        const insert = `INSERT INTO ${table} SELECT i, md5(i::TEXT) FROM generate_series(1, 3000) g(i)`;
        for (let i = 0; i < inserts; i += 1) await query(server, insert);
      }
      const tablets = (table: string) =>
        rows(server, `SELECT count(*)::int FROM information_schema.tablets WHERE table_name = '${table}'`);
      await expect.poll(() => tablets('enough'), { timeout: 30_000 }).toEqual([[1]]);
      const evicted = () => metric(server, 'tessera_storage_agent_evicted_tablets_total{from="disk"}');
      await expect.poll(evicted, { timeout: 30_000 }).toBeGreaterThan(0);
      // Committed tablets are not merged.
      expect(await tablets('few')).toEqual([[BAD_TABLETS - 1]]);
    },
    TIMEOUT_MS,
  );
});
