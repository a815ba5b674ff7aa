import { vacuumJobEnds } from '@tessera/coordinator';
import { storeRequests } from '@tessera/object-store';
import { rpcCalls } from '@tessera/rpc';
import { tabletEvictions, warmedTables } from '@tessera/storage-agent';
import { collectionEnds, commitEnds } from '@tessera/storage-manager';
import type { MetricSet } from './metric-set.ts';

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Counts the events that the packages publish; returns the functions that stop it. */
export function countEvents(set: MetricSet): (() => void)[] {
  return [...storeMetrics(set), ...logMetrics(set), ...maintenanceMetrics(set), rpcMetrics(set)];
}

function storeMetrics(set: MetricSet) {
  const requests = set.counter(
    'tessera_object_store_requests_total',
    'Requests to the object store of managed tables, by outcome: ok, refused (a precondition did not hold), or the name of the error; a request and its retries count once',
    ['operation', 'outcome'],
  );
  const seconds = set.histogram(
    'tessera_object_store_request_duration_seconds',
    'Time from a request to the last byte of its response, including retries; a listing includes all pages',
    ['operation'],
    REQUEST_SECONDS,
  );
  const bytes = set.counter(
    'tessera_object_store_bytes_total',
    'Bytes read from and written to the object store',
    ['direction'],
  );
  requests.inc({ operation: 'get', outcome: 'STORAGE_UNAVAILABLE' }, 0);
  const evicted = set.counter(
    'tessera_storage_agent_evicted_tablets_total',
    'Tablets evicted from memory or disk to make room, or because they were not used',
    ['from'],
  );
  const warmed = set.counter(
    'tessera_storage_agent_warmed_tables_total',
    'Tables that were loaded into memory after a restart because they were there before',
    [],
  );
  return [
    storeRequests.listen((request) => {
      requests.inc({ operation: request.operation, outcome: request.outcome });
      seconds.observe({ operation: request.operation }, request.seconds);
      bytes.inc({ direction: 'read' }, request.bytesRead);
      bytes.inc({ direction: 'written' }, request.bytesWritten);
    }),
    tabletEvictions.listen(({ from, tablets }) => evicted.inc({ from }, tablets)),
    warmedTables.listen(() => warmed.inc({})),
  ];
}

function logMetrics(set: MetricSet) {
  const commits = set.counter(
    'tessera_metadata_commits_total',
    'Commits requested by this node, by outcome: ok or the name of the error (TRANSACTION_CONFLICT: another commit was first)',
    ['outcome'],
  );
  const seconds = set.histogram(
    'tessera_metadata_commit_duration_seconds',
    'Time from requesting a commit to its outcome, successful or not',
    [],
    REQUEST_SECONDS,
  );
  const collections = set.counter(
    'tessera_garbage_collections_total',
    'Garbage collections requested by this node, by outcome: ok or the name of the error',
    ['outcome'],
  );
  const deleted = set.counter(
    'tessera_garbage_deleted_objects_total',
    'Objects deleted by garbage collections',
  );
  for (const outcome of ['ok', 'METADATA_UNAVAILABLE']) commits.inc({ outcome }, 0);
  for (const outcome of ['ok', 'METADATA_UNAVAILABLE']) collections.inc({ outcome }, 0);
  return [
    commitEnds.listen((end) => {
      commits.inc({ outcome: end.outcome });
      seconds.observe(end.seconds);
    }),
    collectionEnds.listen(({ outcome, objects }) => {
      collections.inc({ outcome });
      deleted.inc(objects);
    }),
  ];
}

function maintenanceMetrics(set: MetricSet) {
  const jobs = set.counter(
    'tessera_vacuum_jobs_total',
    'Vacuum and merge jobs, by outcome: ok or the name of the error',
    ['outcome'],
  );
  const tablets = set.counter(
    'tessera_vacuum_rewritten_tablets_total',
    'Tablets replaced by vacuum and merge jobs',
  );
  for (const outcome of ['ok', 'TRANSACTION_CONFLICT']) jobs.inc({ outcome }, 0);
  return [
    vacuumJobEnds.listen((end) => {
      jobs.inc({ outcome: end.outcome });
      if (end.outcome === 'ok') tablets.inc(end.tablets);
    }),
  ];
}

function rpcMetrics(set: MetricSet) {
  const calls = set.counter(
    'tessera_rpc_calls_total',
    'Completed calls to other nodes, including pings, by outcome: ok or the name of the error',
    ['method', 'outcome'],
  );
  return rpcCalls.listen(({ path, outcome }) =>
    calls.inc({ method: path.slice(path.lastIndexOf('.') + 1), outcome }),
  );
}
