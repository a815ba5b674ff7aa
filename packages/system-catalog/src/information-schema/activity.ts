import type { NodeName } from '@tessera/common';
import type { FinishedQuery, QueryFacts } from '../facts/query-facts.ts';
import { scannedBytes } from '../facts/query-facts.ts';
import type { ClusterFacts } from '../facts/system-facts.ts';
import {
  columnsOf,
  type SystemColumn,
  type SystemRelation,
  type SystemValue,
  TIME,
} from '../facts/system-relation.ts';

const RUNNING: readonly SystemColumn[] = columnsOf(
  'user_name',
  ['submitted_time', TIME],
  ['start_time', TIME],
  ['duration_us', 'BIGINT'],
  'status',
  'query_id',
  'request_id',
  'query_label',
  'query_text',
  ['scanned_rows', 'BIGINT'],
  ['scanned_bytes', 'BIGINT'],
  ['inserted_rows', 'BIGINT'],
  ['inserted_bytes', 'BIGINT'],
  ['retries', 'INTEGER'],
);

/** The queries that the nodes of the engine coordinate; other nodes report theirs. */
export const runningQueries = ({ running, node, elsewhere }: ClusterFacts): SystemRelation => ({
  columns: RUNNING_NOW,
  rows: [...running.map((query) => runningRow(query, node)), ...elsewhere],
});

/** A row of `engine_running_queries`. */
export const runningRow = (query: QueryFacts, node: NodeName): readonly SystemValue[] => [
  ...common(query, query.isQueued ? 'SUSPENDED' : 'RUNNING', Date.now()),
  ...ofNodes(query, node),
];

function ofNodes({ progress }: QueryFacts, node: NodeName): readonly SystemValue[] {
  const stages = progress?.stages ?? [];
  const finished = stages.filter(({ state }) => state === 'finished').length;
  const sum = (of: (stage: (typeof stages)[number]) => number) =>
    stages.reduce((total, stage) => total + of(stage), 0);
  return [
    node,
    stages.length,
    finished,
    sum(({ tasks }) => tasks),
    progress?.percent,
    sum(({ tasksFinished }) => tasksFinished),
    progress?.nodes ?? 1,
    Math.round(progress?.rowsRead ?? 0),
    Math.round(progress?.bytesRead ?? 0),
  ];
}

/** The columns of `engine_running_queries`. */
export const RUNNING_NOW: readonly SystemColumn[] = [
  ...RUNNING,
  ...columnsOf(
    'node_name',
    ['stages', 'INTEGER'],
    ['stages_finished', 'INTEGER'],
    ['tasks', 'INTEGER'],
    ['percent', 'DOUBLE'],
    ['tasks_finished', 'INTEGER'],
    ['nodes', 'INTEGER'],
    ['rows_read', 'BIGINT'],
    ['bytes_read', 'BIGINT'],
  ),
];

const HISTORY = [
  ...RUNNING,
  ...columnsOf(
    ['end_time', TIME],
    'error_message',
    ['scanned_cache_bytes', 'BIGINT'],
    ['scanned_storage_bytes', 'BIGINT'],
    ['spilled_bytes', 'BIGINT'],
    ['returned_rows', 'BIGINT'],
    ['returned_bytes', 'BIGINT'],
    ['time_in_queue_us', 'BIGINT'],
    'query_text_normalized',
    'node_name',
    ['from_result_cache', 'BOOLEAN'],
  ),
];

/** The latest queries of all nodes that have ended, oldest first. */
export const queryHistory = ({ history }: ClusterFacts): SystemRelation => ({
  columns: HISTORY,
  rows: finished(history, () => true),
});

/**
 * The same without queries that clients send on their own: SET, SHOW and pure reads of `information_schema`.
 */
export const userQueryHistory = ({ history }: ClusterFacts): SystemRelation => ({
  columns: HISTORY,
  rows: finished(history, (query) => !query.isSystemQuery),
});

const QUERIES: readonly SystemColumn[] = [
  ...RUNNING,
  ...columnsOf(
    'node_name',
    ['percent', 'DOUBLE'],
    ['end_time', TIME],
    'error_message',
    ['returned_rows', 'BIGINT'],
    ['spilled_bytes', 'BIGINT'],
    ['time_in_queue_us', 'BIGINT'],
  ),
];

/** The queries that are running on the engine, then those that have ended, the newest first. */
export const queries = (facts: ClusterFacts): SystemRelation => ({
  columns: QUERIES,
  rows: [
    ...[...runningQueries(facts).rows].map(asQuery),
    ...[...facts.history]
      .reverse()
      .map((query) => [
        ...common(query, query.status, query.endedAt.getTime()),
        query.node,
        query.status === 'ENDED_SUCCESSFULLY' ? 100 : undefined,
        query.endedAt,
        query.errorMessage,
        query.returnedRows,
        query.spilledBytes,
        query.queuedMicroseconds,
      ]),
  ],
});

/** A row of `engine_running_queries` as one of `queries`. */
const asQuery = (row: readonly SystemValue[]): readonly SystemValue[] =>
  QUERIES.map(({ name }) => row[RUNNING_NOW.findIndex((column) => column.name === name)]);

function* finished(
  history: Iterable<FinishedQuery>,
  isShown: (query: FinishedQuery) => boolean,
): Generator<readonly SystemValue[]> {
  for (const query of history) {
    if (!isShown(query)) continue;
    yield [
      ...common(query, query.status, query.endedAt.getTime()),
      query.endedAt,
      query.errorMessage,
      query.scanned.bytesFromCache,
      query.scanned.bytesFromStorage,
      query.spilledBytes,
      query.returnedRows,
      query.returnedBytes,
      query.queuedMicroseconds,
      query.normalizedText,
      query.node,
      query.isReused,
    ];
  }
}

/** The values of columns shared with `engine_running_queries`; `until` in milliseconds. */
function common(query: QueryFacts, status: string, until: number): readonly SystemValue[] {
  return [
    query.user,
    query.submittedAt,
    query.startedAt,
    1000 * Math.max(0, until - (query.startedAt ?? query.submittedAt).getTime()),
    status,
    query.queryId,
    query.requestId,
    query.label,
    query.text,
    query.scanned.rows,
    scannedBytes(query.scanned),
    query.insertedRows,
    query.insertedBytes,
    query.retries,
  ];
}

export const metricsHistory = ({ metrics }: ClusterFacts): SystemRelation => ({
  columns: columnsOf(
    ['event_time', TIME],
    'node',
    ['cpu_used', 'DOUBLE'],
    ['memory_used', 'BIGINT'],
    ['disk_used', 'BIGINT'],
    ['cache_hit_ratio', 'DOUBLE'],
    ['spilled_bytes', 'BIGINT'],
    ['running_queries', 'BIGINT'],
    ['suspended_queries', 'BIGINT'],
  ),
  rows: [...metrics].map((m) => [
    m.time,
    m.node,
    m.cpuUsed,
    m.memoryBytes,
    m.diskBytes,
    m.cacheHitRatio,
    m.spilledBytes,
    m.runningQueries,
    m.suspendedQueries,
  ]),
});

/** The open transactions of this node. */
export const transactions = (facts: ClusterFacts): SystemRelation => ({
  columns: columnsOf(
    'transaction_id',
    'user_name',
    ['start_time', TIME],
    ['last_used_time', TIME],
    'status',
    ['read_version', 'BIGINT'],
    ['statements', 'BIGINT'],
  ),
  rows: facts.transactions.map((t) => [
    t.id,
    t.user,
    t.startedAt,
    t.lastUsedAt,
    t.status,
    t.readVersion,
    t.statements,
  ]),
});
