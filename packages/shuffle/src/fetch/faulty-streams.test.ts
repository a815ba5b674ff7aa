import { fork } from 'node:child_process';
import { once } from 'node:events';
import { asIncarnation, asQueryId, TesseraError } from '@tessera/common';
import {
  type FetchResponse,
  openRpcChannel,
  type RpcChannel,
  type ServedService,
  ShuffleService,
  serviceOf,
} from '@tessera/rpc';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OutputShape, ShuffleBlock } from '../index.ts';
import { breakingProxy } from '../testing/breaking-proxy.ts';
import { openNode, type TestNode } from '../testing/shuffle-nodes.ts';

type Responses = AsyncIterable<FetchResponse>;
type Fault = (responses: Responses) => Responses;

/** The faults of the producer's next answers, one for each. */
const faults: Fault[] = [];
let asked = 0;

function faulty(real: ServedService): ServedService {
  const fetch = real.handlers.fetch as (request: unknown, context: unknown) => Responses;
  return serviceOf(ShuffleService, {
    fetch: (request, context) => {
      asked++;
      const fault = faults.shift() ?? ((responses: Responses) => responses);
      return fault(fetch(request, context));
    },
  });
}

const SHAPE: OutputShape = { columns: [{ name: 'k', type: 'BIGINT' }], hashKeys: [0] };
const TEXTS: OutputShape = { columns: [...SHAPE.columns, { name: 't', type: 'VARCHAR' }], hashKeys: [0] };
const { signal } = new AbortController();

const channelTo = (address: string): RpcChannel =>
  openRpcChannel({
    address,
    clusterToken: undefined,
    unanswered: (reason) => TesseraError.of('NODE_LOST', { node: address, reason }),
  });

/** Shows the responses of `fetch` to an observer when they arrive. */
function observed(channel: RpcChannel, observe: (response: FetchResponse) => void): RpcChannel {
  const client = channel.client(ShuffleService);
  const fetch: typeof client.fetch = async function* (request, options) {
    for await (const response of client.fetch(request, options)) {
      observe(response);
      yield response;
    }
  };
  return { ...channel, client: () => ({ ...client, fetch }) as never };
}

let producer: TestNode;
let disturbed: TestNode;
let consumer: TestNode;
let block: ShuffleBlock;

beforeAll(async () => {
  [producer, disturbed, consumer] = await Promise.all([
    openNode({ service: faulty }),
    openNode({ shuffle: { disturbedHash: true } }),
    openNode({ shuffle: { nodeAt: () => 'the producer' } }),
  ]);
  block = await producer.store(3, 'SELECT range FROM range(1000000)', SHAPE);
});
beforeEach(() => {
  faults.length = 0;
});
afterAll(() => Promise.all([producer, disturbed, consumer].map((node) => node.close())));

const isBatch = ({ content }: FetchResponse) => content.case === 'batch';

const FAULTS: readonly (readonly [string, RegExp, Fault])[] = [
  [
    'cut off',
    /the end did not come/,
    async function* (responses) {
      for await (const response of responses) {
        if (response.sequence === 3) return;
        yield response;
      }
    },
  ],
  [
    'with a response twice',
    /response 2 came instead of 3/,
    async function* (responses) {
      for await (const response of responses) {
        yield response;
        if (response.sequence === 2) yield response;
      }
    },
  ],
  [
    'with a response left out',
    /response 3 came instead of 2/,
    async function* (responses) {
      for await (const response of responses) if (response.sequence !== 2) yield response;
    },
  ],
  [
    'in another order',
    /response 3 came instead of 2/,
    async function* (responses) {
      let held: FetchResponse | undefined;
      for await (const response of responses) {
        if (response.sequence === 2) held = response;
        else yield response;
        if (response.sequence === 3) yield held!;
      }
    },
  ],
  [
    'with a batch left out and the others renumbered',
    /rows in \d+ batches came of/,
    async function* (responses) {
      for await (const response of responses) {
        if (response.sequence === 2) continue;
        yield response.sequence < 2 ? response : { ...response, sequence: response.sequence - 1 };
      }
    },
  ],
  [
    'with a changed byte',
    /was changed/,
    async function* (responses) {
      for await (const response of responses) {
        if (isBatch(response) && response.content.case === 'batch') {
          const { value } = response.content;
          const ipc = Buffer.from(value.ipc);
          ipc[ipc.length >> 1]! ^= 1;
          yield { ...response, content: { case: 'batch', value: { ...value, ipc } } };
        } else {
          yield response;
        }
      }
    },
  ],
  [
    'of other rows than were told',
    /0 rows came of 1000000/,
    async function* (responses) {
      for await (const response of responses) {
        if (response.sequence === 0) yield response;
        if (response.content.case === 'end') {
          const value = { ...response.content.value, rows: 0n, batches: 0 };
          yield { ...response, sequence: 1, content: { case: 'end', value } };
        }
      }
    },
  ],
];

describe.each(FAULTS)('a stream %s', (_name, reason, fault) => {
  it('is fetched again and completed', async () => {
    const session = await consumer.session();
    const before = asked;
    faults.push(fault, fault);
    const { sql, rows } = await consumer.shuffle.fetch(session, [block], SHAPE, signal);
    expect(rows).toBe(1_000_000);
    expect(await session.scalar(`SELECT sum(k) FROM ${sql}`)).toBe(499_999_500_000);
    expect(asked - before).toBe(3);
  });

  it('fails after three attempts and names the lost output', async () => {
    const session = await consumer.session();
    faults.push(fault, fault, fault);
    const error = await consumer.shuffle.fetch(session, [block], SHAPE, signal).catch((e: unknown) => e);
    expect(error).toMatchObject({ name: 'FETCH_FAILED', retry: 'task' });
    expect(String(error)).toMatch('stage 0, task 3, attempt 0 could not be fetched from node the producer');
    expect(String(error)).toMatch(reason);
    expect(await session.scalar('SELECT count(*) FROM duckdb_tables() WHERE temporary')).toBe(0);
  });
});

it('a broken connection is re-established', async () => {
  const session = await consumer.session();
  await using proxy = await breakingProxy(producer.address, [200_000, 3_000_000]);
  const { rows } = await consumer.shuffle.fetch(
    session,
    [{ ...block, address: proxy.address }],
    SHAPE,
    signal,
  );
  expect(rows).toBe(1_000_000);
  expect(proxy.broken()).toBe(2);
});

describe('an output that is not there', () => {
  it.each([
    ['another incarnation', { incarnation: asIncarnation('an earlier one') }],
    ['another attempt', { producer: { queryId: asQueryId('query'), run: 0, stage: 0, task: 3, attempt: 1 } }],
  ])('%s: FETCH_FAILED without another attempt', async (_, change) => {
    const session = await consumer.session();
    const before = asked;
    const fetched = consumer.shuffle.fetch(session, [{ ...block, ...change }], SHAPE, signal);
    await expect(fetched).rejects.toMatchObject({ name: 'FETCH_FAILED' });
    expect(asked - before).toBe(1);
  });

  it('because its node does not answer', async () => {
    const session = await consumer.session();
    const fetched = consumer.shuffle.fetch(session, [{ ...block, address: '127.0.0.1:9' }], SHAPE, signal);
    await expect(fetched).rejects.toMatchObject({ name: 'FETCH_FAILED' });
  });

  it('because it is released while it is sent', async () => {
    const large = await producer.store(4, 'SELECT range FROM range(5000000)', SHAPE, 'large');
    const session = await consumer.session();
    faults.push(async function* (responses) {
      for await (const response of responses) {
        if (response.sequence === 1) await producer.shuffle.release(asQueryId('large'));
        yield response;
      }
    });
    const fetched = consumer.shuffle.fetch(session, [large], SHAPE, signal);
    await expect(fetched).rejects.toMatchObject({ name: 'FETCH_FAILED' });
    await expect(fetched).rejects.toThrow('released');
  });
});

it('a fetch that is cancelled ends, leaves no rows, and stops the producer', async () => {
  const controller = new AbortController();
  // Received rows may use 12 MiB of memory. The block takes 10, so it fits only if the cancelled fetch left nothing.
  const memoryLimitBytes = 1 << 30;
  const cancelling = await openNode({
    kernel: { memoryLimitBytes, ceilingBytes: memoryLimitBytes + (96 << 20) },
    shuffle: {
      channel: (to) =>
        observed(channelTo(to), ({ sequence }) => {
          if (sequence === 6) controller.abort();
        }),
    },
  });
  let stopped = false;
  faults.push(async function* (responses) {
    try {
      yield* responses;
    } finally {
      stopped = true;
    }
  });
  try {
    const session = await cancelling.session();
    const fetched = cancelling.shuffle.fetch(session, [block], SHAPE, controller.signal);
    await expect(fetched).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
    await expect.poll(() => stopped).toBe(true);
    expect((await cancelling.kernel.memory()).spilledBytes).toBe(0);
    const again = await cancelling.shuffle.fetch(session, [block], SHAPE, signal);
    expect(again).toMatchObject({ rows: 1_000_000, spilledBytes: 0 });
  } finally {
    await cancelling.close();
  }
});

it('a producer that is killed while it sends rows is lost, and leaves nothing', async () => {
  const program = new URL('../../bench/exchange-process.ts', import.meta.url);
  const child = fork(program, { stdio: 'inherit', execArgv: [] });
  const [{ address }] = (await once(child, 'message')) as [{ address: string }];
  child.send({ sql: "SELECT range, 'text ' || range FROM range(600000)", shape: TEXTS });
  const [sent] = (await once(child, 'message')) as [ShuffleBlock];
  let arrived = 0;
  // The third response carries rows, and others follow it.
  const killing = await openNode({
    shuffle: {
      channel: (to) =>
        observed(channelTo(to), ({ sequence }) => {
          arrived++;
          if (sequence === 2) child.kill('SIGKILL');
        }),
    },
  });
  try {
    const session = await killing.session();
    const fetched = killing.shuffle.fetch(session, [sent], TEXTS, signal);
    await expect(fetched).rejects.toMatchObject({ name: 'FETCH_FAILED' });
    await expect(fetched).rejects.toThrow(address);
    expect(arrived).toBeGreaterThan(2);
    expect(killing.warnings).toEqual(Array(2).fill('the output of a task is fetched again'));
    expect((await killing.kernel.memory()).spilledBytes).toBe(0);
    expect(await session.scalar('SELECT 42')).toBe(42);
  } finally {
    child.kill('SIGKILL');
    await killing.close();
  }
});

it('a consumer that does not read on holds the producer back', async () => {
  let produced = 0;
  const halted = Promise.withResolvers<void>();
  faults.push(async function* (responses) {
    for await (const response of responses) {
      produced++;
      yield response;
    }
  });
  const channel = channelTo(producer.address);
  const { producer: key, incarnation } = await producer.store(
    6,
    'SELECT range FROM range(10000000)',
    SHAPE,
    'slow',
  );
  const responses = channel
    .client(ShuffleService)
    .fetch({ producer: key, incarnation })
    [Symbol.asyncIterator]();
  await responses.next();
  // The producer stops when the windows of the connection are full, which cannot hold all 80 MB.
  let before = -1;
  const steady = setInterval(() => {
    if (produced === before) halted.resolve();
    before = produced;
  }, 500);
  await halted.promise;
  clearInterval(steady);
  expect(produced).toBeLessThan(40);
  await responses.return?.();
  channel.close();
  await producer.shuffle.release(asQueryId('slow'));
});

it('a node with another hash function is detected', async () => {
  const other = await disturbed.store(5, 'SELECT range FROM range(1000)', SHAPE);
  const session = await consumer.session();
  const { rows: _, ...half } = { ...other, buckets: [0, 512] as const };
  await expect(consumer.shuffle.fetch(session, [half], SHAPE, signal)).rejects.toMatchObject({
    name: 'PARTITION_MISMATCH',
    retry: 'never',
  });
  const whole = await consumer.shuffle.fetch(session, [other], SHAPE, signal);
  expect(whole.rows).toBe(1000);
});
