import type { TableObject } from '@tessera/catalog';
import { asIncarnation, asQueryId, TesseraError } from '@tessera/common';
import { decodeFileSource, encodeFileSource } from '@tessera/file-scan';
import type {
  DistExecService,
  RpcClient,
  RunTaskRequest,
  ShuffleBlock as SentBlock,
  InlineRows as SentInline,
  TaskKey as SentKey,
  KeyFilter as SentKeyFilter,
  KeyRange as SentKeyRange,
  TabletSink as SentSink,
  TaskSource as SentSource,
} from '@tessera/rpc';
import type { InlineRows, ShuffleBlock, TaskKey } from '@tessera/shuffle';
import type { KeyRange } from '@tessera/tablet';
import type { KeyFilter, TabletSink, Task, TaskSource } from '../dist-exec.ts';
import { decodeTablets, encodeTablets } from './tablet-list.ts';

type CallMessage = Parameters<ReturnType<RpcClient<typeof DistExecService>['runTasks']>['send']>[0];
export type RunTaskMessage = Extract<CallMessage['call'], { readonly case: 'run' }>['value'];
type SourceMessage = NonNullable<RunTaskMessage['sources']>[number];

/**
 * A task in the form that is sent to another node. It may not contain a `SessionRelation`, which belongs to a
 * session of this node.
 */
export function encodeTask(task: Task): RunTaskMessage {
  const { columns, hashKeys, summarised, filterKeys = [] } = task.output;
  return {
    key: task.key,
    sql: task.sql.map((part) => ({
      part:
        typeof part === 'string'
          ? { case: 'text' as const, value: part }
          : { case: 'source' as const, value: part },
    })),
    sources: task.sources.map(encodeSource),
    output: {
      columns: [...columns],
      hashKeys: [...hashKeys],
      summarised: [...summarised],
      filterKeys: [...filterKeys],
    },
    timeZone: task.timeZone,
    ...(task.sink !== undefined && { tabletSink: encodeSink(task.sink) }),
    alone: task.alone === true,
    fewRows: task.fewRows === true,
    profiled: task.profiled === true,
    holdsNoRows: task.holdsNoRows === true,
    maxThreads: task.maxThreads ?? 0,
    readsFiles: task.sharesTables === false,
    ...(task.traceparent !== undefined && { traceparent: task.traceparent }),
  };
}

/** @throws TesseraError BAD_REQUEST for an invalid task */
export function decodeTask(request: RunTaskRequest): Task {
  const { key, output } = request;
  if (key === undefined || output === undefined) throw malformed('it has no key or no output');
  const sources = request.sources.map(decodeSource);
  return {
    key: decodeKey(key),
    sql: request.sql.map(({ part }) => {
      if (part.value === undefined) throw malformed('its SQL has an empty part');
      if (part.case === 'source' && part.value >= sources.length) throw malformed('its SQL names no source');
      return part.value;
    }),
    sources,
    output: {
      columns: output.columns.map(({ name, type }) => ({ name, type })),
      hashKeys: output.hashKeys,
      summarised: output.summarised,
      ...(output.filterKeys.length > 0 && { filterKeys: output.filterKeys }),
    },
    timeZone: request.timeZone,
    ...(request.tabletSink !== undefined && { sink: decodeSink(request.tabletSink) }),
    alone: request.alone,
    ...(request.fewRows && { fewRows: true }),
    ...(request.profiled && { profiled: true }),
    ...(request.holdsNoRows && { holdsNoRows: true }),
    ...(request.maxThreads > 0 && { maxThreads: request.maxThreads }),
    ...(request.readsFiles && { sharesTables: false }),
    ...(request.traceparent !== undefined && { traceparent: request.traceparent }),
  };
}

function encodeSource(source: TaskSource): SourceMessage {
  switch (source.kind) {
    case 'scan':
      return {
        source: {
          case: 'scan',
          value: {
            table: encodeTable(source.table),
            tablets: encodeTablets(source.table, source.tablets),
            columns: [...source.columns],
            contentsVersion: BigInt(Math.max(0, source.shareAtVersion ?? source.choiceAtVersion ?? 0)),
            isShare: source.shareAtVersion !== undefined,
            ...(source.shareId !== undefined && { shareId: source.shareId }),
            keyFilters: (source.keyFilters ?? []).filter(({ ranges }) => !ranges).map(encodeKeyFilter),
            keyRanges: (source.keyFilters ?? []).flatMap(({ column, ranges }) =>
              ranges === undefined ? [] : [{ column, ranges: [...ranges] }],
            ),
          },
        },
      };
    case 'exchange':
      return {
        source: {
          case: 'exchange',
          value: {
            blocks: source.blocks.map(encodeBlock),
            columns: [...source.shape.columns],
            hashKeys: [...source.shape.hashKeys],
          },
        },
      };
    case 'files':
      return { source: { case: 'files', value: { source: encodeFileSource(source) } } };
    case 'session':
      throw new Error('A relation of a session cannot be read on another node');
  }
}

function decodeSource({ source }: SentSource): TaskSource {
  switch (source.case) {
    case 'scan': {
      const { value } = source;
      const table = tableOf(value.table);
      const keyFilters = [
        ...value.keyFilters.map(decodeKeyFilter),
        ...value.keyRanges.map(({ column, ranges }) => ({ column, ranges: ranges.map(decodeKeyRange) })),
      ];
      return {
        kind: 'scan',
        table,
        tablets: decodeTablets(table, value.tablets),
        columns: value.columns,
        ...(value.contentsVersion > 0n && {
          [value.isShare ? 'shareAtVersion' : 'choiceAtVersion']: Number(value.contentsVersion),
        }),
        ...(value.shareId !== undefined && { shareId: value.shareId }),
        ...(keyFilters.length > 0 && { keyFilters }),
      };
    }
    case 'exchange': {
      const { blocks, columns, hashKeys } = source.value;
      return {
        kind: 'exchange',
        blocks: blocks.map(decodeBlock),
        shape: { columns: columns.map(({ name, type }) => ({ name, type })), hashKeys },
      };
    }
    case 'files':
      return decodeFileSource(source.value.source);
    default:
      throw malformed(`it has a source that this node does not know (${source.case ?? 'none'})`);
  }
}

const encodeSink = ({ table, partitionSql, minBytes, maxBytes }: TabletSink) => ({
  table: encodeTable(table),
  partitionSql: [...partitionSql],
  minBytes: BigInt(minBytes),
  maxBytes: BigInt(maxBytes),
});

const decodeSink = ({ table, partitionSql, minBytes, maxBytes }: SentSink): TabletSink => ({
  table: tableOf(table),
  partitionSql,
  minBytes: Number(minBytes),
  maxBytes: Number(maxBytes),
});

const encodeKeyFilter = ({ column, values, min, max, bloom }: KeyFilter) => ({
  column,
  values: [...(values ?? [])],
  hasValues: values !== undefined,
  ...(min !== undefined && { min }),
  ...(max !== undefined && { max }),
  ...(bloom !== undefined && { bloom }),
});

const decodeKeyFilter = ({ column, values, hasValues, min, max, bloom }: SentKeyFilter): KeyFilter => ({
  column,
  ...(hasValues && { values }),
  ...(min !== undefined && { min }),
  ...(max !== undefined && { max }),
  ...(bloom !== undefined && { bloom }),
});

const decodeKeyRange = ({ from, to }: SentKeyRange): KeyRange => ({
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
});

const encodeBlock = ({ producer, address, incarnation, buckets, slice, rows, inline }: ShuffleBlock) => ({
  producer,
  address,
  incarnation,
  bucketFrom: buckets?.[0] ?? 0,
  bucketTo: buckets?.[1] ?? 0,
  slice: slice?.[0] ?? 0,
  slices: slice?.[1] ?? 0,
  rows: BigInt(rows ?? -1),
  ...(inline !== undefined && { inline }),
});

function decodeBlock(block: SentBlock): ShuffleBlock {
  const { producer, address, incarnation, bucketFrom, bucketTo, slice, slices, rows, inline } = block;
  if (producer === undefined) throw malformed('a block has no producer');
  return {
    producer: decodeKey(producer),
    address,
    incarnation: asIncarnation(incarnation),
    ...(bucketTo > 0 && { buckets: [bucketFrom, bucketTo] as const }),
    ...(slices > 1 && { slice: [slice, slices] as const }),
    ...(rows >= 0n && { rows: Number(rows) }),
    ...(inline !== undefined && { inline: decodeInline(inline) }),
  };
}

export const decodeInline = ({ schema, batch, crc32c }: SentInline): InlineRows => ({
  schema,
  batch,
  crc32c,
});

const decodeKey = ({ queryId, run, stage, task, attempt }: SentKey): TaskKey => ({
  queryId: asQueryId(queryId),
  run,
  stage,
  task,
  attempt,
});

/** A cache, because every task that reads a table needs it. */
const encodedTables = new WeakMap<TableObject, Uint8Array>();

function encodeTable(table: TableObject): Uint8Array {
  let bytes = encodedTables.get(table);
  if (bytes === undefined) {
    bytes = Buffer.from(JSON.stringify(table));
    encodedTables.set(table, bytes);
  }
  return bytes;
}

/** Parses a table that another node sent. Its shape is trusted, as that of log entries is. */
function tableOf(bytes: Uint8Array): TableObject {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as TableObject;
  } catch (cause) {
    throw malformed('a table is not JSON of the catalog', cause);
  }
}

const malformed = (reason: string, cause?: unknown) =>
  TesseraError.of('BAD_REQUEST', { message: `The task cannot be run: ${reason}` }, { cause });
