import { tracedIfLong } from '@tessera/common';
import { normalizedSql } from '@tessera/sql';
import type { AdmissionControl } from '../admission/admission-control.ts';
import { queued } from '../admission/queued.ts';
import type { StatementContext } from '../queries/statement-context.ts';
import type { ResultChunk, RowsResult, StatementResult } from '../request/statement-result.ts';

/**
 * Statements that run queries over data. Statements that only look up or define something are not subject to
 * admission.
 */
const ADMITTED: ReadonlySet<string> = new Set([
  'query',
  'explain',
  'insert',
  'update',
  'delete',
  'merge',
  'with_changes',
  'create_table_as',
  'copy_to',
  'copy_from',
  'copy_from_stdin',
  'vacuum',
]);

/** Queries about the engine must be answered even if all slots are taken. */
const ABOUT_THE_ENGINE = /\b(?:information_schema|pg_catalog)\s*\./i;

/** Whether statements of this kind are subject to admission. */
export const waitsForTurn = (kind: string, text: string): boolean =>
  ADMITTED.has(kind) && !ABOUT_THE_ENGINE.test(text);

/**
 * Waits until the statement is admitted and runs it. Its slot is released when its result was read completely
 * or closed.
 */
export async function whileAdmitted(
  control: AdmissionControl,
  { query, request, text }: StatementContext,
  work: () => Promise<StatementResult>,
): Promise<StatementResult> {
  const { signal, activity } = query;
  query.admitted = await queued(activity, () =>
    tracedIfLong('admission', () =>
      control.admit({ kind: () => normalizedSql(text), group: request.transactionId, signal }),
    ),
  );
  const release = () => {
    query.admitted?.release();
    query.admitted = undefined;
  };
  let result: StatementResult | undefined;
  try {
    result = await work();
  } finally {
    if (result?.kind !== 'rows') release();
  }
  return result.kind === 'rows' ? heldUntilTaken(result, release) : result;
}

function heldUntilTaken(result: RowsResult, release: () => void): RowsResult {
  return {
    ...result,
    chunks: andThen(result.chunks, release),
    close: async () => {
      release();
      await result.close();
    },
  };
}

async function* andThen(
  chunks: AsyncIterable<ResultChunk>,
  release: () => void,
): AsyncGenerator<ResultChunk, void> {
  try {
    yield* chunks;
  } finally {
    release();
  }
}
