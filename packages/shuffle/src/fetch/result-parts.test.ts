import { asIncarnation, asQueryId } from '@tessera/common';
import type { KernelSession } from '@tessera/kernel';
import { type FetchResponse, type ServedService, ShuffleService, serviceOf } from '@tessera/rpc';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OutputShape, ResultOutput, ShuffleBlock } from '../index.ts';
import { keyOf, openNode, type TestNode } from '../testing/shuffle-nodes.ts';

const SHAPE: OutputShape = {
  columns: [
    { name: 'k', type: 'BIGINT' },
    { name: 't', type: 'VARCHAR' },
  ],
  hashKeys: [],
};
const ROWS = 600_000;
const rowsOf = (from: number) =>
  `SELECT range AS k, 'text ' || range AS t FROM range(${from}, ${from + ROWS})`;
const { signal } = new AbortController();

/** The faults of the producer's next answers, one for each. */
const faults: ((responses: AsyncIterable<FetchResponse>) => AsyncIterable<FetchResponse>)[] = [];
/** The number of batches that each request skipped. */
const skipped: number[] = [];

function faulty(real: ServedService): ServedService {
  const fetch = real.handlers.fetch as (...call: unknown[]) => AsyncIterable<FetchResponse>;
  return serviceOf(ShuffleService, {
    fetch: (request, context) => {
      skipped.push(request.firstBatch);
      const fault = faults.shift() ?? ((responses) => responses);
      return fault(fetch(request, context));
    },
  });
}

let producer: TestNode;
let consumer: TestNode;
let session: KernelSession;
beforeAll(async () => {
  [producer, consumer] = await Promise.all([
    openNode({ service: faulty, shuffle: { memoryBytes: 6 << 20 } }),
    openNode(),
  ]);
  session = await consumer.session();
});
afterAll(() => Promise.all([producer, consumer].map((node) => node?.close())));

/** An output whose only attempt counts. */
const outputOf = (block: Promise<ShuffleBlock> | ShuffleBlock, ended = async () => {}): ResultOutput => ({
  attempt: async () => block,
  begin: () => true,
  end: ended,
  failed: (_, error) => {
    throw error;
  },
});

/** A session whose queries send their first batch, and the others when `gate` opens. */
const gated = (real: KernelSession, gate: Promise<void>): KernelSession =>
  new Proxy(real, {
    get: (_, name) => {
      if (name !== 'query') return Reflect.get(real, name).bind(real);
      return async (...call: Parameters<KernelSession['query']>) => {
        const result = await real.query(...call);
        return { ...result, batches: behind(result.batches, gate) };
      };
    },
  });

async function* behind<T>(items: AsyncIterable<T>, gate: Promise<void>): AsyncGenerator<T> {
  for await (const item of items) {
    yield item;
    await gate;
  }
}

/** The number of rows of all parts, and of their different keys. */
async function readAll(outputs: readonly ResultOutput[], onPart = () => {}): Promise<[number, unknown]> {
  await session.execute('CREATE OR REPLACE TEMP TABLE seen (k BIGINT, t VARCHAR)');
  let rows = 0;
  for await (const part of consumer.shuffle.results(session, outputs, SHAPE, signal)) {
    onPart();
    rows += part.rows;
    await session.execute(`INSERT INTO seen FROM ${part.sql}`);
    await part.release();
  }
  return [rows, await session.scalar(`SELECT count(DISTINCT k) FROM seen WHERE t = 'text ' || k`)];
}

it.each(['another node', 'this node'])('rows of %s are read while its task adds others', async (where) => {
  const node = where === 'this node' ? consumer : producer;
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const key = keyOf(0, where);
  const storing = node.shuffle.store(key, gated(await node.session(), gate.promise), rowsOf(0), SHAPE, {
    onLarge: begun.resolve,
  });
  await begun.promise;
  const block = { producer: key, address: node.address, incarnation: node.shuffle.incarnation };
  // Only complete outputs are read as blocks of other tasks.
  const whole = consumer.shuffle.fetch(session, [block], SHAPE, signal);
  await expect(whole).rejects.toMatchObject({ name: 'FETCH_FAILED' });
  const isStored = async () => void (await storing);
  expect(await readAll([outputOf(block, isStored)], gate.resolve)).toEqual([ROWS, ROWS]);
  expect((await storing).rows).toBe(ROWS);
  await node.shuffle.release(asQueryId(where));
});

it('a broken stream continues after the batches that came', async () => {
  const block = await producer.store(1, rowsOf(0), SHAPE);
  expect(producer.shuffle.diskBytes).toBeGreaterThan(1 << 20);
  skipped.length = 0;
  faults.push(
    async function* (responses) {
      for await (const response of responses) {
        if (response.sequence === 3) return;
        yield response;
      }
    },
    async function* (responses) {
      for await (const response of responses) {
        if (response.sequence === 2 && response.content.case === 'batch') response.content.value.crc32c = 7;
        yield response;
      }
    },
  );
  expect(await readAll([outputOf(block)])).toEqual([ROWS, ROWS]);
  expect(skipped).toEqual([0, 2, 3]);
  await producer.shuffle.release(asQueryId('query'));
});

it('another attempt is read if none of the rows of the first one were handed over', async () => {
  const lost = { ...(await producer.store(2, rowsOf(0), SHAPE)), incarnation: asIncarnation('gone') };
  const blocks = [lost, await producer.store(3, rowsOf(0), SHAPE)];
  const outdated = await producer.store(4, rowsOf(0), SHAPE);
  const failures: unknown[] = [];
  const output: ResultOutput = {
    ...outputOf(lost),
    attempt: async () => (failures.length === 0 ? lost : (blocks.pop() ?? outdated)),
    begin: (block) => block === outdated,
    failed: (block, error) => failures.push(block.producer.task, error),
  };
  blocks.shift();
  expect(await readAll([output])).toEqual([ROWS, ROWS]);
  expect(failures).toMatchObject([2, { name: 'FETCH_FAILED' }]);
  await producer.shuffle.release(asQueryId('query'));
});

it('a task that fails ends the reading of its rows', async () => {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const key = keyOf(5);
  const failing = `SELECT k, CASE WHEN k = ${ROWS - 1} THEN error('stop') ELSE t END FROM (${rowsOf(0)})`;
  const real = await producer.session();
  const storing = producer.shuffle.store(key, gated(real, gate.promise), failing, SHAPE, {
    onLarge: begun.resolve,
  });
  storing.catch(() => {});
  await begun.promise;
  const block = { producer: key, address: producer.address, incarnation: producer.shuffle.incarnation };
  await expect(readAll([outputOf(block)], gate.resolve)).rejects.toMatchObject({ name: 'FETCH_FAILED' });
  await expect(storing).rejects.toThrow('stop');
  expect(producer.shuffle.bytes).toBe(0);
});

it('an output without rows, and no output, have no parts', async () => {
  const none = await producer.store(6, `SELECT * FROM (${rowsOf(0)}) WHERE k < 0`, SHAPE);
  expect(await readAll([outputOf(none)])).toEqual([0, 0]);
  expect(await readAll([])).toEqual([0, 0]);
  await producer.shuffle.release(asQueryId('query'));
});
