import { withPlaceInCsv } from './csv-failure.ts';
import type { QueryActivity } from './query-history.ts';
import type { ResultChunk, RowsResult } from './statement-result.ts';

/** The same result, counted into the query's activity while it is read, with the error that ends it. */
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
