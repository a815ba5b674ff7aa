import type { ObjectId } from '@tessera/catalog';
import { ownCommitIds, TesseraError } from '@tessera/common';
import { discardTablets } from '../changes/discard-tablets.ts';
import { partialsOf } from '../changes/index-partials.ts';
import { indexCoverage, storedIndexes } from '../read/index-coverage.ts';
import { isCertainlyNotCommitted } from '../transactions/transactions.ts';
import type { RewriteContext } from './rewrite-tablets.ts';

/**
 * Computes the partial rows that aggregating indexes of a table lack, in a transaction of its own for each index. Tablets whose rows
 * another statement changes meanwhile stay without.
 */
export async function fillIndexes(context: RewriteContext, tableId: ObjectId): Promise<void> {
  const { manager } = context.tables;
  const snapshot = await manager.latest();
  const table = snapshot.object(tableId);
  if (table?.kind !== 'table') return;
  const pins = [manager.pin(snapshot), manager.beginWrite()];
  try {
    for (const index of storedIndexes(table)) {
      const { rest } = indexCoverage(snapshot, table, index.partials.id);
      const actions = await partialsOf(context, snapshot, table, index, rest);
      if (actions.length === 0) continue;
      try {
        await manager.commit({
          ...ownCommitIds('index-'),
          readVersion: snapshot.version,
          actions,
        });
      } catch (error) {
        if (!(error instanceof TesseraError) || isCertainlyNotCommitted(error))
          await discardTablets(context.tables, actions);
        // The table or the index was dropped.
        if (!(error instanceof TesseraError) || error.name !== 'TRANSACTION_CONFLICT') throw error;
      }
    }
  } finally {
    for (const pin of pins) pin.release();
  }
}
