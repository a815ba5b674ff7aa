import { TesseraError } from '@tessera/common';
import type { Transaction } from '../actions.ts';
import { CatalogDraft } from './catalog-draft.ts';
import { CatalogState } from './catalog-state.ts';
import { TransactionCheck } from './conflicts.ts';

/**
 * Whether the transaction can be in the entry after `state`. `pending`: the state that later transactions of the same entry
 * are admitted to; it keeps the version of `state` and only `applyEntry` makes the state of the entry.
 */
export type Admission =
  | { readonly kind: 'admitted'; readonly pending: CatalogState }
  /** The transaction is in the log (or in the same entry) already. */
  | { readonly kind: 'committed'; readonly version: number }
  | { readonly kind: 'refused'; readonly error: TesseraError };

/** Checks the transaction against everything committed since it read, by the conflict rules. */
export function admit(state: CatalogState, transaction: Transaction): Admission {
  const known = state.committedVersion(transaction.idempotencyKey);
  if (known !== undefined) return { kind: 'committed', version: known };
  const version = state.version + 1;
  const { timeMs } = state.parts;
  const draft = new CatalogDraft(state.parts, version, timeMs);
  try {
    new TransactionCheck(draft, transaction.readVersion).run(transaction.actions);
  } catch (error) {
    if (error instanceof TesseraError) return { kind: 'refused', error };
    throw error;
  }
  const results = state.parts.results.with(transaction.idempotencyKey, version, timeMs);
  return { kind: 'admitted', pending: new CatalogState({ ...draft.finish(), results }) };
}
