import { asQueryId, type QueryId, TesseraError } from '@tessera/common';
import { ClusterFactsService, type ServedService, serviceOf } from '@tessera/rpc';
import type { ClusterRow } from './service-connection.ts';

/** A node gives these answers on behalf of its whole cluster. */
export interface ClusterAnswers {
  /** The rows of a view of information_schema, for every user; empty for a view that is not shared. */
  rowsOf(view: string): Promise<readonly ClusterRow[]>;
  /** Returns false if no node of the cluster runs such a query, or only one of another user. */
  cancelQuery(queryId: QueryId, reason: string, ofUser?: string): Promise<boolean>;
}

/**
 * The service through which other clusters ask this one.
 * @param rowLimit the maximum number of rows that this cluster returns; 0 means no limit
 */
export const clusterFactsService = (answers: ClusterAnswers, rowLimit: number): ServedService =>
  serviceOf(ClusterFactsService, {
    answer: async ({ question }) => {
      switch (question?.question.case) {
        case 'view': {
          const { name, rowLimit: asked } = question.question.value;
          const limit = Math.min(rowLimit || Infinity, asked || Infinity);
          const rows = await answers.rowsOf(name);
          // The latest rows are at the end.
          const kept = rows.length > limit ? rows.slice(rows.length - limit) : rows;
          return { rows: Buffer.from(JSON.stringify(kept)), isCut: kept.length < rows.length };
        }
        case 'cancel': {
          const { queryId, reason, ofUser } = question.question.value;
          return { found: await answers.cancelQuery(asQueryId(queryId), reason, ofUser) };
        }
        default:
          throw TesseraError.of('BAD_REQUEST', {
            message: 'The question is of a kind that this version does not know',
          });
      }
    },
  });
