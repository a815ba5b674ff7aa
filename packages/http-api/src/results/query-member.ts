import type { RunningQuery } from '@tessera/coordinator';

/** The `query` member of JSON answers. */
export const queryMember = (query: RunningQuery) => ({
  query_id: query.queryId,
  request_id: query.requestId,
  query_label: query.label,
});
