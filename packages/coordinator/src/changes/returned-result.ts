import { TesseraError } from '@tessera/common';
import type { RowsResult } from '../request/statement-result.ts';
import { type StatementRun, startedResult } from '../run/query-run.ts';
import type { Change } from './change.ts';

/**
 * The RETURNING rows of a change that was committed or is part of its transaction.
 * @throws TesseraError ALREADY_COMMITTED for a repeated statement: only its first run had the rows
 */
export async function returnedResult(
  run: StatementRun,
  { returned, affectedRows }: Change,
): Promise<RowsResult> {
  const { queryId } = run.query;
  if (returned === undefined) throw TesseraError.of('ALREADY_COMMITTED', { queryId });
  const isCommitted = run.request.transactionId === undefined;
  const explain = (error: unknown): unknown => {
    const explained = returned.explain(error);
    if (!isCommitted || !(explained instanceof TesseraError)) return explained;
    const message = `${explained.message} (the change of query ${queryId} is committed, only its RETURNING rows are lost)`;
    return explained.with({ message });
  };
  const result = await startedResult(run, { ...returned, explain });
  return affectedRows === undefined ? result : { ...result, affectedRows };
}
