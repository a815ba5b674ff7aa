import { AUTO_VACUUM_DEFAULTS, type AutoVacuum } from '@tessera/config';
import { describe, expect, it } from 'vitest';
import { TestNode } from '../testing/test-node.ts';
import type { MaintenanceOptions } from './maintenance.ts';

const MEMORY_BYTES = 1e9;

const maintenance = (autoVacuum: Partial<AutoVacuum>, mergeCommittedTablets = false): MaintenanceOptions => ({
  autoVacuum: { ...AUTO_VACUUM_DEFAULTS, ...autoVacuum },
  mergeCommittedTablets,
  memoryLimitBytes: MEMORY_BYTES,
  log: { info: () => undefined, warn: (fields: object) => expect(fields).toBeUndefined() } as never,
});

const fill = async (node: TestNode, count: number) => {
  await node.run('CREATE TABLE t (a INT, b INT) PRIMARY INDEX a');
  for (let i = 0; i < count; i += 1) await node.run(`INSERT INTO t VALUES (${i}, 0)`);
};

describe('VACUUM', () => {
  it('leaves the same rows in fewer tablets', async () => {
    await using node = await TestNode.open();
    await fill(node, 12);
    await node.run('DELETE FROM t WHERE a % 3 = 0');
    const rows = await node.rows('SELECT * FROM t ORDER BY a');
    expect(await node.tablets('t')).toHaveLength(8);
    await node.run('VACUUM t');
    expect(await node.tablets('t')).toMatchObject([{ rows: 8 }]);
    expect(await node.rows('SELECT * FROM t ORDER BY a')).toEqual(rows);
    await node.run('DELETE FROM t WHERE a < 6');
    await node.run('VACUUM (MAX_CONCURRENCY = 2) t');
    expect(await node.tablets('t')).toMatchObject([{ rows: 4 }]);
    await expect(node.run('VACUUM nosuch')).rejects.toMatchObject({ name: 'UNDEFINED_TABLE' });
  });

  it('loses no row and revives none while statements change the same tablets', async () => {
    await using node = await TestNode.open({
      maintenance: maintenance({ debug_sleep_before_commit_ms: 60 }),
    });
    await fill(node, 10);
    const vacuum = node.run('VACUUM t');
    // Each statement takes less time than the vacuum sleeps, so that one of them commits between its work and
    // its commit.
    await node.run('DELETE FROM t WHERE a = 3');
    await node.run('UPDATE t SET b = 1 WHERE a = 4');
    await node.run('DELETE FROM t WHERE a = 5');
    await vacuum;
    expect(await node.rows('SELECT a, b FROM t ORDER BY a')).toEqual(
      [0, 1, 2, 4, 6, 7, 8, 9].map((a) => [a, a === 4 ? 1 : 0]),
    );
    await node.run('VACUUM t');
    expect(await node.tablets('t')).toMatchObject([{ rows: 8 }]);
  });

  it('is refused in a transaction', async () => {
    await using node = await TestNode.open();
    await fill(node, 1);
    const { session } = await node.run('BEGIN');
    if (session?.kind !== 'set') throw new Error('BEGIN sets the transaction');
    await expect(node.run('VACUUM t', { transactionId: session.value })).rejects.toMatchObject({
      name: 'ACTIVE_TRANSACTION',
    });
  });
});

describe('maintenance', () => {
  it('merges what small commits leave behind', async () => {
    await using node = await TestNode.open({ maintenance: maintenance({}, true) });
    await fill(node, 25);
    await node.coordinator.settled();
    expect((await node.tablets('t')).length).toBeLessThan(10);
    expect(await node.rows('SELECT count(*), sum(a) FROM t')).toEqual([['25', '300']]);
  });

  it('vacuums automatically when enough tablets are bad, or from the first change if configured so', async () => {
    await using node = await TestNode.open({
      maintenance: maintenance({ enabled: true, run_on_first_dml: true, min_bad_tablets_threshold: 1 }),
    });
    await node.run('CREATE TABLE t (a INT)');
    const inserts = Array.from({ length: 5 }, (_, i) => `INSERT INTO t VALUES (${i})`);
    await node.run(`BEGIN; ${inserts.join('; ')}; COMMIT`, {
      settings: { enable_multi_query_requests: 'true' },
    });
    await node.coordinator.settled();
    expect(await node.tablets('t')).toMatchObject([{ rows: 5 }]);
    expect(await node.rows('SELECT sum(a) FROM t')).toEqual([['10']]);
  });

  const insertEight = async (node: TestNode) => {
    await node.run('CREATE TABLE t (a INT)');
    const inserts = Array.from({ length: 8 }, (_, i) => `INSERT INTO t VALUES (${i})`);
    await node.run(`BEGIN; ${inserts.join('; ')}; COMMIT`, {
      settings: { enable_multi_query_requests: 'true' },
    });
  };

  let tabletBytes = 0;
  /** The fraction of the engine's memory that a job of this many tablets may take. */
  async function shareOf(tablets: number): Promise<number> {
    if (tabletBytes === 0) {
      await using node = await TestNode.open();
      await insertEight(node);
      tabletBytes = Math.max(...(await node.tablets('t')).map(({ bytes }) => bytes));
    }
    return (tablets * tabletBytes * 8) / MEMORY_BYTES;
  }

  it.each<[string, (share: number) => Partial<AutoVacuum>, number]>([
    ['the defaults', () => ({}), 1],
    ['max_tablets_in_job', () => ({ max_tablets_in_job: 2 }), 4],
    ['memory_allowance', (share) => ({ memory_allowance: share }), 3],
    [
      'memory_allowance, which the jobs of max_concurrency share',
      (share) => ({ memory_allowance: 2 * share, max_concurrency: 2 }),
      3,
    ],
    ['min_bad_tablets_threshold, that is, not at all', () => ({ min_bad_tablets_threshold: 9 }), 8],
    ['enabled: false', () => ({ enabled: false }), 8],
    ['run_on_first_dml: false', () => ({ run_on_first_dml: false }), 8],
  ])('merges eight tablets by jobs within %s', async (_, limits, left) => {
    const share = await shareOf(3.2);
    await using node = await TestNode.open({
      maintenance: maintenance({ enabled: true, run_on_first_dml: true, ...limits(share) }),
    });
    await insertEight(node);
    await node.coordinator.settled();
    expect(await node.tablets('t')).toHaveLength(left);
  });

  it('runs as many jobs at once as max_concurrency allows', async () => {
    const limits = { enabled: true, run_on_first_dml: true, max_tablets_in_job: 2, max_concurrency: 3 };
    await using node = await TestNode.open({ maintenance: maintenance(limits) });
    const { manager } = node.tables;
    const commit = manager.commit.bind(manager);
    const together = Promise.withResolvers<void>();
    let ready = 0;
    manager.commit = async (transaction, ...rest) => {
      if (transaction.actions.some(({ kind }) => kind === 'remove_tablet')) {
        if (++ready === limits.max_concurrency) together.resolve();
        await together.promise;
      }
      return commit(transaction, ...rest);
    };
    await insertEight(node);
    await node.coordinator.settled();
    expect(await node.tablets('t')).toHaveLength(4);
  });
});
