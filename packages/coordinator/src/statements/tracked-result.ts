import type { QueryActivity } from '../queries/query-history.ts';
import { withPlaceInCsv } from '../read/csv-failure.ts';
import type { ResultChunk, RowsResult } from '../request/statement-result.ts';

/** The same result, recorded in the query's activity while it is read, including the error that ends it. */
export function trackedResult(result: RowsResult, activity: QueryActivity): RowsResult {
  return { ...result, chunks: counted(result, activity) };
}

async function* counted(result: RowsResult, activity: QueryActivity): AsyncGenerator<ResultChunk, void> {
  try {
    for await (const chunk of result.chunks) {
      activity.returnedRows += chunk.rows;
      activity.returnedBytes += chunk.bytes.byteLength;
      yield chunk;
    }
  } catch (cause) {
    const error = await withPlaceInCsv(cause);
    activity.fail(error);
    throw error;
  }
}
