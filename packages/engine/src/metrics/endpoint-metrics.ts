import { ERRORS, type ErrorName } from '@tessera/common';
import type { HttpMetrics } from '@tessera/http-api';
import type { PostgresMetrics } from '@tessera/postgres-api';
import type { MetricSet } from './metric-set.ts';

const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export interface EndpointMetrics {
  readonly http: HttpMetrics;
  readonly postgres: PostgresMetrics;
}

/** The metrics of queries that endpoints receive. */
export function endpointMetrics(set: MetricSet): EndpointMetrics {
  const queries = set.counter(
    'tessera_queries_total',
    'Completed queries, by outcome (ok or the name of the error) and class: ok, client (the statement or the client is at fault), cancelled, server',
    ['endpoint', 'outcome', 'class'],
  );
  const durations = set.histogram(
    'tessera_query_duration_seconds',
    'Time from the start of the request to the end of the response',
    ['endpoint'],
    SECONDS,
  );
  const files = set.counter('tessera_uploaded_files_total', 'Uploaded files received');
  const fileBytes = set.counter(
    'tessera_uploaded_bytes_total',
    'Bytes of uploaded files, after decompression',
  );
  const resultBytes = set.counter('tessera_result_bytes_total', 'Bytes of result bodies sent over HTTP');
  // The counters exist from the start, so that the first error is visible as an increase.
  for (const endpoint of ['http', 'postgres'])
    for (const [outcome, name] of [
      ['ok', 'ok'],
      ['INTERNAL', 'server'],
    ] as const)
      queries.inc({ endpoint, outcome, class: name }, 0);

  const startQuery = (endpoint: keyof EndpointMetrics) => {
    // Finding the series of a metric by its labels takes longer than counting.
    const duration = durations.labels({ endpoint });
    const ok = queries.labels({ endpoint, outcome: 'ok', class: 'ok' });
    return () => {
      const startedAt = performance.now();
      return (outcome: string) => {
        duration.observe((performance.now() - startedAt) / 1000);
        if (outcome === 'ok') ok.inc();
        else queries.inc({ endpoint, outcome, class: outcomeClass(outcome) });
      };
    };
  };
  return {
    http: {
      startQuery: startQuery('http'),
      received: (uploads) => {
        files.inc(uploads.size);
        for (const { bytes } of uploads.values()) fileBytes.inc(bytes);
      },
      sent: (bytes) => resultBytes.inc(bytes),
    },
    postgres: { startQuery: startQuery('postgres') },
  };
}

function outcomeClass(outcome: string): 'ok' | 'client' | 'cancelled' | 'server' {
  if (outcome === 'ok') return 'ok';
  if (outcome === 'QUERY_CANCELLED') return 'cancelled';
  return (ERRORS[outcome as ErrorName]?.httpStatus ?? 500) < 500 ? 'client' : 'server';
}
