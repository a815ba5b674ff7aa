import { SeededRandom } from '@tessera/common';
import { parseConfig } from '@tessera/config';
import { type ObjectStore, openStoreAt } from '@tessera/object-store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { query, rows } from '../http.ts';
import { Cluster } from './cluster.ts';
import { describeOnGateway, startGateway } from './gateway.ts';

const HOUR_MS = 3_600_000;
/** The age by the leader's clock at which unreferenced objects are orphans, plus an hour. */
const ORPHAN_AGE_MS = 25 * HOUR_MS;
const ROUNDS = 8;
/** Further rounds follow as long as VACUUM has always ended before the concurrent change. */
const MOST_ROUNDS = 40;
const ROWS_OF_INSERT = 40;
/** Enough rows that their tablets are objects and not parts of the log. */
const MANY = 40_000;
/** A leader collects no garbage during its first 30 s, which a fast machine has to wait for. */
const COLLECTS_MS = 90_000;

/** The number of rows and the sum for each remainder of the id by 8. */
function summedBy8(expected: ReadonlyMap<number, number>): number[][] {
  const groups = Map.groupBy(expected, ([id]) => id % 8);
  return [...groups]
    .map(([key, members]) => [key, members.length, members.reduce((sum, [, n]) => sum + n, 0)])
    .sort(([a], [b]) => a! - b!);
}

/** These tests cover rows 23, 27 and 28 of the fault table. */
describeOnGateway('two nodes that change and collect', () => {
  let stack: AsyncDisposableStack;
  let cluster: Cluster;
  /** Another bucket than that of the tables. */
  let lake: ObjectStore;

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const { endpoint } = stack.use(await startGateway());
    const { config } = parseConfig(
      JSON.stringify({ schema_version: '1.0', storage: { type: 'minio', minio: { endpoint } } }),
      'test',
    );
    lake = await openStoreAt('s3://lake', config);
    stack.defer(() => lake.close());
    cluster = stack.use(
      await Cluster.open({
        endpoint,
        nodes: 2,
        storage: { gc_ttl_seconds: 0, allow_collect_garbage: true, enable_managed_location: true },
        engine: { auto_vacuum: { debug_sleep_before_commit_ms: 40 } },
      }),
    );
    // The clocks of the nodes differ by two hours, and both differ from that of the bucket.
    await cluster.start(0, { clockShiftMs: HOUR_MS, clockJumpMs: ORPHAN_AGE_MS });
    await cluster.start(1, { clockShiftMs: -HOUR_MS });
  });

  afterAll(() => stack.disposeAsync());

  const run = async (n: number, sql: string) => {
    const answer = await query(cluster.node(n), sql);
    expect(answer.status, `${sql}: ${answer.text}`).toBe(200);
  };
  const fill = (n: number, table: string) =>
    run(n, `INSERT INTO ${table} SELECT x, md5(x::text) FROM generate_series(1, ${MANY}) g(x)`);
  const sums = async (n: number, table: string) =>
    (await rows(cluster.node(n), `SELECT count(*)::int, sum(a)::int FROM ${table}`))[0];
  const WHOLE = [MANY, (MANY * (MANY + 1)) / 2];
  /** The same answer from the partial rows of its index. */
  const sumsOfIndex = async (n: number, table: string) => {
    const plan = await rows(
      cluster.node(n),
      `EXPLAIN (LOGICAL, FORMAT JSON) SELECT count(*), sum(a) FROM ${table}`,
    );
    expect(JSON.parse(String(plan[0]![0])).aggregating_indexes).toMatchObject([{ used: true }]);
    return sums(n, table);
  };
  const tabletsOf = (keys: readonly string[], ids: readonly string[]) =>
    keys.filter((key) => ids.some((id) => key.startsWith(`tablets/${id}/`)));
  /** The tables and aggregating indexes with objects in the bucket. */
  const tablesWithObjects = async () =>
    new Set((await cluster.bucket.keys('tablets/')).map((key) => key.split('/')[1]!));
  /** Creates a table with an aggregating index. Returns the ids below which their objects are. */
  const createFilled = async (table: string) => {
    const before = await tablesWithObjects();
    await run(0, `CREATE TABLE ${table} (a int, b text) PRIMARY INDEX a`);
    await run(
      0,
      `CREATE AGGREGATING INDEX ${table}_index ON ${table} (md5((a / 3)::text), count(*), sum(a))`,
    );
    await fill(0, table);
    const ids = [...(await tablesWithObjects())].filter((id) => !before.has(id));
    expect(ids).toHaveLength(2);
    return ids;
  };

  it(`VACUUM at one node and changes of the same tablets at the other, ${ROUNDS} rounds: no row is lost or comes back`, async () => {
    await run(0, 'CREATE TABLE v (id int, n int) PRIMARY INDEX id');
    // Tablets that VACUUM has merged are large enough for partial rows.
    await run(0, 'CREATE AGGREGATING INDEX v_index ON v (id % 8, count(*), sum(n))');
    const random = new SeededRandom(27);
    const expected = new Map<number, number>();
    let next = 0;
    let raced = 0;
    for (let round = 0; round < ROUNDS || (raced === 0 && round < MOST_ROUNDS); round++) {
      for (let batch = 0; batch < 3; batch++) {
        const first = next;
        next += ROWS_OF_INSERT;
        await run(batch % 2, `INSERT INTO v SELECT x, 0 FROM generate_series(${first}, ${next - 1}) g(x)`);
        for (let id = first; id < next; id++) expected.set(id, 0);
      }
      const divisor = random.between(2, 9);
      const rest = random.between(0, divisor - 1);
      const isChosen = (id: number) => id % divisor === rest;
      let vacuumed = false;
      const vacuum = run(1, 'VACUUM v').then(() => {
        vacuumed = true;
      });
      await run(0, `UPDATE v SET n = n + 1 WHERE id % ${divisor} = ${rest}`);
      if (!vacuumed) raced++;
      await run(0, `DELETE FROM v WHERE id % ${divisor} = ${rest} AND id % 2 = 0`);
      await vacuum;
      for (const [id, n] of [...expected].filter(([id]) => isChosen(id))) {
        if (id % 2 === 0) expected.delete(id);
        else expected.set(id, n + 1);
      }
      for (const n of [0, 1]) {
        const found = await rows(cluster.node(n), 'SELECT id, n FROM v ORDER BY id');
        expect(found).toEqual([...expected]);
        const summed = 'SELECT id % 8, count(*)::int, sum(n)::int FROM v GROUP BY 1 ORDER BY 1';
        expect(await rows(cluster.node(n), summed)).toEqual(summedBy8(expected));
      }
    }
    expect(raced).toBeGreaterThan(0);
    const entries = await cluster.bucket.entries();
    expect(entries.flatMap(({ txns }) => txns).some(({ txn_id: id }) => id.startsWith('vacuum-'))).toBe(true);
  }, 180_000);

  it(
    'objects that a query reads are not collected, unused ones are',
    async () => {
      const read = await createFilled('read_on');
      const dropped = await createFilled('dropped');
      await run(0, 'DROP TABLE dropped');
      await cluster.faults(
        1,
        ...read.map((id) => ({ method: 'GET', path: `tablets/${id}/`, fault: { kind: 'hold' as const } })),
      );
      // The aggregating index answers it.
      const held = sums(1, 'read_on');
      const isHeld = async () => (await cluster.caught(1)).some((caught) => caught > 0);
      await expect.poll(isHeld, { timeout: 20_000 }).toBe(true);
      const objects = tabletsOf(await cluster.bucket.keys('tablets/'), read);
      await run(0, 'TRUNCATE TABLE read_on');
      expect(await collectAll(dropped)).toBeGreaterThan(0);
      expect(tabletsOf(await cluster.bucket.keys('tablets/'), read)).toEqual(objects);
      await cluster.faults(1);
      expect(await held).toEqual(WHOLE);
      expect(await sums(1, 'read_on')).toEqual([0, null]);
      await collectAll(read);
    },
    COLLECTS_MS,
  );

  /**
   * Collects until no tablet of a table and its index is left, since nodes report only periodically what they read. Returns
   * the number of deleted objects.
   */
  async function collectAll(table: readonly string[]): Promise<number> {
    let collected = 0;
    await expect
      .poll(
        async () => {
          const [report] = await rows(cluster.node(1), 'CALL collect_garbage()');
          collected += Number(report![1]);
          return tabletsOf(await cluster.bucket.keys('tablets/'), table);
        },
        { timeout: COLLECTS_MS / 2 },
      )
      .toEqual([]);
    return collected;
  }

  it(
    'a table at a LOCATION in another bucket is collected like others',
    async () => {
      const keysOfLake = async () => {
        const keys: string[] = [];
        for await (const { key } of lake.list('')) keys.push(key);
        return keys;
      };
      const collected = async () => {
        await rows(cluster.node(1), 'CALL collect_garbage()');
        return keysOfLake();
      };
      const nowhere = await query(
        cluster.node(0),
        "CREATE TABLE placed (a int) LOCATION = 'file:///somewhere'",
      );
      expect(nowhere.json().errors[0].name).toBe('NOT_SUPPORTED');
      await run(0, "CREATE TABLE placed (a int, b text) LOCATION = 's3://lake/raw/'");
      expect(await keysOfLake()).toEqual([]);
      await fill(0, 'placed');
      const keys = await keysOfLake();
      expect(keys).toHaveLength(1);
      expect(keys[0]).toMatch(/^raw\/[0-9A-Z]{26}\/tablets\/[0-9A-Z]{26}\/[0-9A-Z]{26}\.parquet$/);
      // A killed INSERT leaves an object that no commit refers to. Objects of others are none of our business.
      const orphan = keys[0]!.replace(/[0-9A-Z]{26}\.parquet$/, `${'0'.repeat(26)}.parquet`);
      const foreign = orphan.replace(/^raw\/[0-9A-Z]{26}/, 'raw/01JZ00000000000000000FREGN');
      for (const key of [orphan, foreign]) await lake.put(key, new Uint8Array(1));
      await expect.poll(collected, { timeout: COLLECTS_MS / 2 }).toEqual([foreign, ...keys]);
      await run(1, 'CREATE TABLE copied CLONE placed');
      await run(0, 'DROP TABLE placed');
      expect(await collected()).toEqual([foreign, ...keys]);
      expect(await sums(1, 'copied')).toEqual(WHOLE);
      await run(1, 'DROP TABLE copied');
      await expect.poll(collected, { timeout: COLLECTS_MS / 2 }).toEqual([foreign]);
    },
    COLLECTS_MS,
  );

  it(
    'an upload under way is no orphan, however far the clock of the leader jumps meanwhile',
    async () => {
      const kept = await createFilled('kept');
      const objects = tabletsOf(await cluster.bucket.keys('tablets/'), kept);
      await run(0, 'CREATE TABLE under_way (a int, b text) PRIMARY INDEX a');
      const before = await tablesWithObjects();
      await cluster.faults(1, { method: 'PUT', path: 'tablets/', fault: { kind: 'hold', passOn: true } });
      const insert = fill(1, 'under_way');
      // Objects of other tables may be deleted, or written by merges, meanwhile.
      await expect
        .poll(async () => [...(await tablesWithObjects())].filter((id) => !before.has(id)), {
          timeout: 20_000,
        })
        .not.toEqual([]);
      cluster.node(0).child.kill('SIGUSR2');
      await rows(cluster.node(0), 'CALL collect_garbage()');
      await cluster.faults(1);
      await insert;
      await rows(cluster.node(0), 'CALL collect_garbage()');
      expect(tabletsOf(await cluster.bucket.keys('tablets/'), kept)).toEqual(objects);
      // Another node has no local copies, so it reads from the bucket.
      await cluster.kill(1);
      await cluster.start(1, { fresh: true });
      for (const n of [0, 1]) {
        for (const t of ['kept', 'under_way']) expect(await sums(n, t)).toEqual(WHOLE);
        expect(await sumsOfIndex(n, 'kept')).toEqual(WHOLE);
      }
      await cluster.bucket.entries();
    },
    COLLECTS_MS,
  );
});
