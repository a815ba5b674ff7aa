import type { DeletionVector, Tablet, TabletId } from '@tessera/catalog';
import {
  asIncarnation,
  asNodeProcess,
  asQueryId,
  createLogging,
  newUlid,
  TesseraError,
} from '@tessera/common';
import { DistExecService, openRpcChannel, type RpcHandlers, serviceOf, startRpcServer } from '@tessera/rpc';
import { expect, it } from 'vitest';
import type { Task, TaskOutcome } from '../dist-exec.ts';
import { remoteTasks } from '../service/remote-tasks.ts';
import { taskOf, testTable } from '../testing/test-nodes.ts';
import { finishedReply, progressReply } from './outcome-codec.ts';
import { encodeTablets } from './tablet-list.ts';
import { decodeTask, encodeTask } from './task-codec.ts';

const table = testTable({ a: 'BIGINT', b: 'VARCHAR' });

const tabletOf = (more: Partial<Tablet> = {}): Tablet => {
  const id = newUlid() as TabletId;
  return {
    id,
    tableId: table.id,
    schemaVersion: 3,
    layout: 'wide',
    key: `tablets/${table.id}/${id}.parquet`,
    rows: 1_234_567,
    bytes: 123_456_789,
    uncompressedBytes: 987_654_321,
    granules: 151,
    headerOffset: 123_400_000,
    footerOffset: 123_450_000,
    tailCrc32c: 4_012_345_678,
    partition: [],
    statistics: [],
    createdAt: '',
    ...more,
  };
};

const vectorOf = (tablet: Tablet, more: Partial<DeletionVector>): DeletionVector => ({
  tabletId: tablet.id,
  tableId: table.id,
  rows: 5,
  ...more,
});

/** Sends a task to a server that records it and answers with the outcome. */
async function sent(task: Task, outcome: TaskOutcome) {
  let received: Task | undefined;
  const reports: unknown[] = [];
  const unused = () => Promise.reject(new Error('not called'));
  const handlers: RpcHandlers<typeof DistExecService> = {
    ping: unused,
    releaseQuery: unused,
    listQueries: unused,
    cancelQuery: unused,
    runTasks: (stream) => ({
      onMessage: ({ id, call }) => {
        if (call.case !== 'run') return;
        received = decodeTask(call.value);
        for (const reply of [
          progressReply({}),
          progressReply({ percent: 12.5, hasRows: true }),
          progressReply({ cpuMs: 70 }),
          finishedReply(outcome),
        ])
          void stream.send({ id, reply });
      },
      onClosing: () => stream.end(),
    }),
  };
  const log = createLogging({ level: 'fatal', format: 'json', components: [], sinks: null }).logger('rpc');
  const services = [serviceOf(DistExecService, handlers)];
  const server = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    services,
    clusterToken: undefined,
    log,
  });
  const channel = openRpcChannel({
    address: `127.0.0.1:${server.port}`,
    clusterToken: undefined,
    unanswered: (reason) => TesseraError.of('NODE_LOST', { node: 'n', reason }),
  });
  try {
    const got = await remoteTasks(channel.client(DistExecService)).runTask(task, {
      incarnation: asIncarnation('i'),
      coordinator: asNodeProcess('c/1'),
      signal: new AbortController().signal,
      timeoutMs: 0,
      onProgress: (report) => reports.push(report),
    });
    return { received, got, reports };
  } finally {
    channel.close();
    await server.close(0);
  }
}

const OUTCOME: TaskOutcome = {
  rows: 5_000_000_000,
  bytes: 2 ** 41,
  bucketRows: [0, 3, 0, 4],
  cpuMs: 12,
  elapsedMs: 13,
  fetchedRows: 14,
  fetchedBytes: 15,
  storageBytesFetched: 16,
  storageBytesCached: 17,
  reads: [{ source: 1, rows: 18, bytes: 19, bytesFromStorage: 20 }],
  spilledBytes: 18,
  summaries: [
    { column: 0, values: [] },
    { column: 1, min: '', max: 'é' },
    { column: 2, min: 'a', max: 'b', values: ['a', 'b'] },
    { column: 3, min: 'a', max: 'b', bloom: Buffer.from([1, 0, 255]) },
  ],
};

it('tasks and outcomes reach the other node unchanged', async () => {
  const [plain, elsewhere, inline] = [
    tabletOf(),
    tabletOf({ key: 's3://bucket/prefix/tablets/x.parquet' }),
    tabletOf({ layout: 'subcompact', inline: 'UEFSMQ==' }),
  ];
  const { key: _, ...withoutKey } = inline;
  const block = {
    producer: { queryId: asQueryId('q'), run: 0, stage: 1, task: 2, attempt: 3 },
    address: 'h:1',
    incarnation: asIncarnation('x'),
  };
  const shape = { columns: [{ name: 'k"', type: 'DECIMAL(38,9)' }], hashKeys: [0] };
  const task = taskOf(['SELECT ', 0, ' JOIN ', 1, ''], [{ name: 'a', type: 'BIGINT' }], {
    sources: [
      {
        kind: 'scan',
        table,
        columns: [2, 1],
        shareAtVersion: 17,
        shareId: 'of-3-node1',
        tablets: [
          { tablet: plain },
          {
            tablet: elsewhere,
            vector: vectorOf(elsewhere, { inline: 'OjAAAA==' }),
            granules: [0, 1, 2, 5, 9, 10],
          },
          {
            tablet: withoutKey,
            vector: vectorOf(withoutKey, { key: 'vectors/v' }),
            rows: [{ start: 0, end: 8192 }],
            keys: { column: 1, ranges: [{ to: '5' }, { from: '7', to: '9' }], rows: 7 },
          },
          {
            tablet: plain,
            granules: [],
            rows: [
              { start: 1, end: 2 },
              { start: 4, end: 5 },
            ],
          },
        ],
      },
      {
        kind: 'scan',
        table,
        columns: [],
        choiceAtVersion: 17,
        tablets: [],
        keyFilters: [
          { column: 'a', values: [] },
          { column: 'b"', min: '', max: 'é', bloom: Buffer.from([0, 128]) },
          { column: 'b', ranges: [{ to: '' }, { from: 'é', to: 'ü' }, { from: 'ý' }] },
          { column: 'a', ranges: [] },
        ],
      },
      {
        kind: 'exchange',
        blocks: [
          { ...block, rows: 0 },
          { ...block, buckets: [0, 512] },
          { ...block, buckets: [512, 1024], slice: [0, 3] },
        ],
        shape,
      },
    ],
    output: { columns: [{ name: 'a', type: 'BIGINT' }], hashKeys: [0], summarised: [0], filterKeys: [0] },
    timeZone: 'Europe/Berlin',
    alone: true,
    maxThreads: 3,
    sharesTables: false,
  });
  const { received, got, reports } = await sent(task, OUTCOME);
  expect(received).toEqual(task);
  expect(got).toEqual(OUTCOME);
  expect(reports).toEqual([
    { hasRows: false },
    { hasRows: true, percent: 12.5 },
    { hasRows: false, cpuMs: 70 },
  ]);
});

it('a task with ten thousand tablets is small', async () => {
  const tablets = Array.from({ length: 10_000 }, () => ({
    tablet: tabletOf({
      statistics: [{ column: 1, min: 'a'.repeat(64), max: 'b'.repeat(64), nulls: 0 }],
      partition: ['2024-01-01'],
    }),
  }));
  expect(encodeTablets(table, tablets).length).toBeLessThan(1_200_000);
});

it('a node that does not know ranges of keys gets no filter without a condition', () => {
  const ranges = { column: 'a', ranges: [{ from: '1', to: '5' }] };
  const bounds = { column: 'b', min: 'x', max: 'y' };
  const task = taskOf(['SELECT a FROM ', 0, ' AS t'], [{ name: 'a', type: 'BIGINT' }], {
    sources: [{ kind: 'scan', table, tablets: [], columns: [1], keyFilters: [ranges, bounds] }],
  });
  const [scan] = encodeTask(task).sources!;
  expect(scan!.source).toMatchObject({ case: 'scan', value: { keyFilters: [bounds], keyRanges: [ranges] } });
});
