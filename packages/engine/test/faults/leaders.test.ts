import { SeededRandom } from '@tessera/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BATCH_TABLES, Batches } from '../chaos/batches.ts';
import type { Place } from '../chaos/client.ts';
import { query, rows } from '../http.ts';
import { Cluster } from './cluster.ts';
import { describeOnGateway, startGateway } from './gateway.ts';

/** A leader without a sign of life is assumed to be alive for 9 s. */
const TAKES_OVER = { timeout: 30_000 };

/**
 * These tests cover rows 8 and 9 of the fault table: leaders that are suspended, and nodes that are cut off.
 */
describeOnGateway('two nodes over one bucket', () => {
  let stack: AsyncDisposableStack;
  let cluster: Cluster;

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const { endpoint } = stack.use(await startGateway());
    cluster = stack.use(await Cluster.open({ endpoint, nodes: 2 }));
    await cluster.start(0);
    await cluster.start(1);
    for (const sql of [...BATCH_TABLES, 'CREATE TABLE t (a int)']) await run(0, sql);
  });

  afterAll(() => stack.disposeAsync());

  const run = async (n: number, sql: string) => {
    const answer = await query(cluster.node(n), sql);
    expect(answer.status, answer.text).toBe(200);
  };
  const insert = (n: number, value: number) => query(cluster.node(n), `INSERT INTO t VALUES (${value})`);
  const times = async (n: number, value: number) =>
    Number((await rows(cluster.node(n), `SELECT count(*) FROM t WHERE a = ${value}`))[0]![0]);
  /** The node that began the newest epoch. */
  const leader = async () => {
    const epochs = (await cluster.bucket.entries()).flatMap(({ records }) =>
      records.flatMap((record) => (record.kind === 'new_epoch' ? [record.address!] : [])),
    );
    return cluster.nodeAt(epochs.at(-1)!);
  };

  it('when a leader is stopped while it commits, the other node takes over, and no commit is lost or repeated', async () => {
    expect(await leader()).toBe(0);
    await cluster.faults(0, { fault: { kind: 'hold' }, method: 'PUT', path: 'meta/log/', times: 1 });
    const underWay = insert(0, 1);
    await expect.poll(async () => (await cluster.caught(0))[0]).toBe(1);
    cluster.node(0).child.kill('SIGSTOP');

    const writers = [0, 1].map((n) => {
      const place: Place = { url: cluster.node(n).url, stopped: false };
      const batches = new Batches(`node${n}`);
      const random = new SeededRandom(n);
      const done = (async () => {
        while (!place.stopped) await batches.step(place, random);
      })();
      return { place, batches, done };
    });
    await expect.poll(leader, TAKES_OVER).toBe(1);
    const began = await cluster.bucket.length();
    await expect.poll(() => cluster.bucket.length(), TAKES_OVER).toBeGreaterThan(began + 5);

    cluster.node(0).child.kill('SIGCONT');
    await cluster.faults(0);
    expect((await underWay).status).toBe(200);
    const resumed = await cluster.bucket.length();
    await expect.poll(() => cluster.bucket.length(), TAKES_OVER).toBeGreaterThan(resumed + 5);
    for (const { place } of writers) place.stopped = true;
    await Promise.all(writers.map(({ done }) => done));

    for (const n of [0, 1]) {
      expect(await times(n, 1)).toBe(1);
      const { url } = cluster.node(n);
      for (const { batches } of writers) expect(await batches.audit({ url, stopped: false })).toEqual([]);
    }
    expect(await leader()).toBe(1);
  });

  it('a leader that does not reach the bucket acknowledges nothing; the other one takes over', async () => {
    const old = await leader();
    const other = 1 - old;
    await cluster.faults(old, { fault: { kind: 'reset' } });
    const answered: string[] = [];
    const note = <T>(what: string, promise: Promise<T>) => promise.finally(() => answered.push(what));
    const atOld = note('insert at the old', insert(old, 10));
    const readAtOld = note('select at the old', times(old, 11));
    const atOther = note('insert at the other', insert(other, 11));
    await expect.poll(leader, TAKES_OVER).toBe(other);
    expect((await atOther).status).toBe(200);
    expect((await insert(other, 12)).status).toBe(200);
    expect(answered).toEqual(['insert at the other']);
    await cluster.faults(old);
    expect((await atOld).status).toBe(200);
    expect(await readAtOld).toBe(1);
    for (const n of [0, 1]) for (const value of [10, 11, 12]) expect(await times(n, value)).toBe(1);
    expect(await leader()).toBe(other);
  });

  it('a node that reaches the bucket but not the leader still reads, and acknowledges no write until it reaches the leader', async () => {
    const led = await leader();
    const other = 1 - led;
    const link = cluster.links[led]!;
    link.cut();
    let answered = false;
    const cutOff = insert(other, 20).finally(() => {
      answered = true;
    });
    expect((await insert(led, 21)).status).toBe(200);
    expect(await times(other, 21)).toBe(1);
    await expect.poll(() => link.refused, TAKES_OVER).toBeGreaterThan(2);
    expect(answered).toBe(false);
    expect(await times(other, 20)).toBe(0);
    link.heal();
    expect((await cutOff).status).toBe(200);
    for (const n of [0, 1]) expect(await times(n, 20)).toBe(1);
    expect(await leader()).toBe(led);
  });
});
