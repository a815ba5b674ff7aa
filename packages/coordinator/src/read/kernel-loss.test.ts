import { afterAll, beforeAll, expect, test } from 'vitest';
import { QueryActivity } from '../queries/query-history.ts';
import { retryInQuarantine } from '../queries/retry-in-quarantine.ts';
import { SequenceDemand } from '../sequences/sequence-demand.ts';
import { rowsOf, TableFixture } from '../testing/table-fixture.ts';

let fixture: TableFixture;

beforeAll(async () => {
  fixture = await TableFixture.open();
  await fixture.table('t', 'SELECT i::INTEGER AS a, i * 2 AS b FROM range(100) r(i)');
});
afterAll(() => fixture[Symbol.asyncDispose]());

const runningQuery = () => ({
  signal: new AbortController().signal,
  activity: new QueryActivity(),
  admitted: undefined,
  demand: new SequenceDemand(),
});

/** Runs a query as statements do: again in quarantine if the kernel process was lost. */
const sum = (column: string) =>
  retryInQuarantine(runningQuery(), async (quarantine) => {
    const executable = await fixture.executable(`SELECT sum(${column}) FROM t WHERE a < 10`, { quarantine });
    try {
      return await rowsOf(executable);
    } finally {
      await executable.release();
    }
  });

test('a planning kernel that ends is filled again by the statements that come after', async () => {
  expect(await sum('a')).toEqual([['45']]);
  process.kill(fixture.mirror.status().pid!, 'SIGKILL');
  expect(await sum('b')).toEqual([['90']]);
  expect(await sum('a + b')).toEqual([['135']]);
});

test('a query whose kernel ends reads its tables again from files', async () => {
  await sum('a');
  await fixture.agent.settled();
  process.kill(fixture.kernel.status().pid!, 'SIGKILL');
  expect(await sum('a')).toEqual([['45']]);
  expect(await sum('a * b')).toEqual([['570']]);
});

test('a query that ran out of memory is run in quarantine only when other sessions were open beside it', async () => {
  const attempts = async () => {
    const made: boolean[] = [];
    const failed = retryInQuarantine(runningQuery(), async (quarantine) => {
      made.push(quarantine);
      const session = await fixture.kernel.session({ quarantine });
      try {
        await session.scalar('SELECT length(range(2000000000))');
      } finally {
        await session.close();
      }
    });
    await expect(failed).rejects.toMatchObject({ name: 'OUT_OF_MEMORY' });
    return made;
  };
  await fixture.agent.settled();
  expect(await attempts()).toEqual([false]);
  const other = await fixture.kernel.session();
  expect(await attempts()).toEqual([false, true]);
  await other.close();
});
