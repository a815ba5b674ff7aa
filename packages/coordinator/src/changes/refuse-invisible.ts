import type { Snapshot } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import { type MergeStatement, mergeVisibility } from '@tessera/sql';
import type { ChangeContext } from './change-context.ts';
import { describedQuery } from './derived-query.ts';

/**
 * @throws TesseraError UNDEFINED_NAME, UNDEFINED_TABLE for names in a WHEN clause of a MERGE that the clause
 * cannot see
 */
export async function refuseInvisible(
  context: ChangeContext,
  snapshot: Snapshot,
  statement: MergeStatement,
): Promise<void> {
  for (const query of mergeVisibility(statement, context.run.text)) {
    try {
      await describedQuery(context, snapshot, query);
    } catch (error) {
      if (error instanceof TesseraError && UNDEFINED.has(error.name)) throw error;
    }
  }
}

const UNDEFINED: ReadonlySet<string> = new Set(['UNDEFINED_NAME', 'UNDEFINED_TABLE']);
