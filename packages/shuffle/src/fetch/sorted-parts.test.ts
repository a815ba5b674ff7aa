import { asIncarnation, asQueryId, TesseraError } from '@tessera/common';
import type { KernelSession } from '@tessera/kernel';
import { type FetchResponse, type ServedService, ShuffleService, serviceOf } from '@tessera/rpc';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OutputShape, ResultOutput, ShuffleBlock } from '../index.ts';
import { openNode, type TestNode } from '../testing/shuffle-nodes.ts';

const SHAPE: OutputShape = {
  columns: [
    { name: 'k', type: 'BIGINT' },
    { name: 't', type: 'VARCHAR' },
    { name: 'key', type: 'BLOB' },
  ],
  hashKeys: [],
  sortKey: 2,
};
/** The rows of one output are two batches. */
const ROWS = 70_000;
const { signal } = new AbortController();

/** Whether the producer only sends the first batch of each output. */
let isBroken = false;

function breakable(real: ServedService): ServedService {
  const fetch = real.handlers.fetch as (...call: unknown[]) => AsyncIterable<FetchResponse>;
  return serviceOf(ShuffleService, {
    fetch: async function* (request, context) {
      for await (const response of fetch(request, context)) {
        if (isBroken && response.sequence + request.firstBatch > 1)
          throw TesseraError.of('FETCH_FAILED', { node: 'n', stage: 0, task: 0, attempt: 0, reason: 'gone' });
        yield response;
      }
    },
  });
}

let producer: TestNode;
let consumer: TestNode;
let session: KernelSession;
beforeAll(async () => {
  [producer, consumer] = await Promise.all([
    openNode({ service: breakable, shuffle: { memoryBytes: 3 << 20 } }),
    openNode(),
  ]);
  session = await consumer.session();
  await session.execute('CREATE TEMP TABLE seen (part BIGINT, k BIGINT, key BLOB, is_right BOOLEAN)');
});
afterEach(async () => {
  isBroken = false;
  await Promise.all([producer, consumer].map(({ shuffle }) => shuffle.release(asQueryId('query'))));
});
afterAll(() => Promise.all([producer, consumer].map((node) => node?.close())));

/** Rows with the keys that `sql` selects as `k`, in the order of `by`. */
const sorted = (sql: string, by = 'ASC NULLS LAST') =>
  `SELECT k, 'text ' || coalesce(k, 0) AS t, create_sort_key(k, '${by}', '', 'ASC NULLS LAST') AS key FROM (${sql}) ORDER BY k ${by}`;

/** Every third key from `from`. */
const third = (from: number) => sorted(`SELECT 3 * range + ${from} AS k FROM range(${ROWS})`);

let tasks = 0;
const stored = (sql: string, node = producer) => node.store(++tasks, sql, SHAPE);

/** An output whose only attempt counts. */
const outputOf = (block: Promise<ShuffleBlock> | ShuffleBlock): ResultOutput => ({
  attempt: async () => block,
  begin: () => true,
  end: async ({ rows }, arrived) => expect(arrived).toBe(rows),
  failed: (_, error) => {
    throw error;
  },
});

interface Read {
  readonly parts: number;
  readonly rows: number;
  /** The number of different keys. */
  readonly keys: number;
}

/** Reads outputs; fails if a row of a part has a smaller key than one of an earlier part. */
async function readAll(outputs: readonly ResultOutput[], onPart = () => {}): Promise<Read> {
  await session.execute('DELETE FROM seen');
  let parts = 0;
  for await (const part of consumer.shuffle.results(session, outputs, SHAPE, signal)) {
    onPart();
    const isRight = "t = 'text ' || coalesce(k, 0)";
    await session.execute(`INSERT INTO seen SELECT ${parts++}, k, key, ${isRight} FROM ${part.sql}`);
    await part.release();
  }
  const ranges = 'SELECT part, min(key) AS low, max(key) AS high FROM seen GROUP BY part';
  const unordered = `SELECT count(*) FROM (SELECT low < lag(high) OVER (ORDER BY part) AS is_wrong FROM (${ranges})) WHERE is_wrong`;
  expect(await session.scalar(unordered)).toBe(0);
  expect(await session.scalar('SELECT bool_and(is_right) FROM seen')).not.toBe(false);
  const count = async (what: string) => Number(await session.scalar(`SELECT ${what} FROM seen`));
  return { parts, rows: await count('count(*)'), keys: await count('count(DISTINCT key)') };
}

describe('rows of sorted outputs', () => {
  it('come in order from several nodes, also from spill files', async () => {
    const blocks = [await stored(third(0)), await stored(third(1)), await stored(third(2), consumer)];
    expect(producer.shuffle.diskBytes).toBeGreaterThan(0);
    const { parts, rows, keys } = await readAll(blocks.map(outputOf));
    expect([rows, keys]).toEqual([3 * ROWS, 3 * ROWS]);
    expect(parts).toBeGreaterThan(1);
  });

  it('come in order if the outputs follow each other', async () => {
    const ranges = [1, 0].map((i) => sorted(`SELECT range AS k FROM range(${i * ROWS}, ${(i + 1) * ROWS})`));
    const blocks = [await stored(ranges[0]!), await stored(ranges[1]!)];
    expect(await readAll(blocks.map(outputOf))).toMatchObject({ rows: 2 * ROWS, keys: 2 * ROWS });
  });

  it.each(['ASC NULLS FIRST', 'ASC NULLS LAST', 'DESC NULLS FIRST', 'DESC NULLS LAST'])(
    'come in the order %s',
    async (by) => {
      const some = (seed: number) =>
        sorted(
          `SELECT CASE WHEN range % 5 > 0 THEN (hash(range + ${seed}) % 1000)::BIGINT - 500 END AS k FROM range(9000)`,
          by,
        );
      const blocks = [await stored(some(1)), await stored(some(2), consumer), await stored(some(3))];
      const { rows } = await readAll(blocks.map(outputOf));
      expect(rows).toBe(27_000);
      const [first, last] = ['min', 'max'].map(
        (end) => `(SELECT k FROM seen WHERE key = (SELECT ${end}(key) FROM seen) LIMIT 1)`,
      );
      const ends = `SELECT coalesce(${first}::VARCHAR, 'NULL') || ' ' || coalesce(${last}::VARCHAR, 'NULL')`;
      const expected = `SELECT coalesce(first(k ORDER BY k ${by})::VARCHAR, 'NULL') || ' ' || coalesce(last(k ORDER BY k ${by})::VARCHAR, 'NULL') FROM seen`;
      expect(await session.scalar(ends)).toBe(await session.scalar(expected));
    },
  );

  it('come once if all keys are equal', async () => {
    const equal = sorted(`SELECT 7 AS k FROM range(${ROWS})`);
    const blocks = [await stored(equal), await stored(equal)];
    expect(await readAll(blocks.map(outputOf))).toMatchObject({ rows: 2 * ROWS, keys: 1 });
  });

  it('may be missing', async () => {
    const none = await stored(sorted('SELECT range AS k FROM range(9) WHERE range > 10'));
    expect(await readAll([outputOf(none)])).toMatchObject({ parts: 0, rows: 0 });
    expect(await readAll([])).toMatchObject({ parts: 0 });
    const few = await stored(sorted('SELECT range AS k FROM range(9)'));
    expect(await readAll([outputOf(none), outputOf(few)])).toMatchObject({ parts: 1, rows: 9 });
  });

  it('are those of another attempt if none of them were taken', async () => {
    const first = await stored(third(0));
    // It has larger keys than all rows of the other output, so none of its rows are taken at first.
    const late = sorted(`SELECT range + ${9 * ROWS} AS k FROM range(${ROWS})`);
    const [old, current] = [await stored(late), await stored(late)];
    let counts = old;
    let failures = 0;
    const output: ResultOutput = {
      attempt: async () => (failures === 0 ? { ...old, incarnation: asIncarnation('gone') } : counts),
      begin: (block) => block === current,
      end: async (_, rows) => expect(rows).toBe(ROWS),
      failed: () => failures++,
    };
    const read = await readAll([outputOf(first), output], () => {
      counts = current;
    });
    expect(read).toMatchObject({ rows: 2 * ROWS, keys: 2 * ROWS });
    expect(failures).toBe(1);
  });

  it('end with an error if the output is lost after some were taken', async () => {
    const blocks = [await stored(third(0)), await stored(third(1))];
    isBroken = true;
    let parts = 0;
    const reading = readAll(blocks.map(outputOf), () => parts++);
    await expect(reading).rejects.toMatchObject({ name: 'FETCH_FAILED' });
    expect(parts).toBe(1);
  });
});
