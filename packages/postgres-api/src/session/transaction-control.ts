import { warning } from '../protocol/report.ts';
import type { SessionState } from './session-state.ts';

const NONE_IN_PROGRESS = warning('25P01', 'there is no transaction in progress');

/** Whether the next statement may not change anything. */
export const readsOnly = ({ transaction, parameters }: SessionState): boolean =>
  transaction.isExplicit ? transaction.readOnly : parameters.show('default_transaction_read_only') === 'on';

export function setTransaction({ transaction, notify }: SessionState, readOnly: boolean | undefined): void {
  if (!transaction.isExplicit) {
    notify(warning('25P01', 'SET TRANSACTION can only be used in transaction blocks'));
  } else if (readOnly !== undefined) transaction.setReadOnly(readOnly);
}

export function setSavepoint(
  { transaction, parameters, portals }: SessionState,
  name: string,
): Promise<void> {
  return transaction.savepoint(name, { parameters: parameters.mark(), portals: portals.open() });
}

/** Undoes all changes since the savepoint and closes the cursors that were declared since. */
export async function rollbackToSavepoint(
  { transaction, parameters, portals }: SessionState,
  name: string,
): Promise<void> {
  const mark = await transaction.rollbackTo(name);
  parameters.backTo(mark.parameters);
  await portals.closeAllBut(mark.portals);
}

/** BEGIN: returns the tag of the form that was used. */
export async function beginTransaction(state: SessionState, readOnly: boolean | undefined): Promise<void> {
  const { transaction, parameters } = state;
  if (transaction.isExplicit) {
    state.notify(warning('25001', 'there is already a transaction in progress'));
    if (readOnly !== undefined) transaction.setReadOnly(readOnly);
    return;
  }
  await transaction.begin(readOnly ?? parameters.show('default_transaction_read_only') === 'on');
  parameters.begin();
}

/** COMMIT of an explicit transaction, or of implicit work that is still open; returns the tag. */
export async function commitTransaction(state: SessionState): Promise<string> {
  if (!state.transaction.isExplicit) state.notify(NONE_IN_PROGRESS);
  return endTransaction(state);
}

export async function rollbackTransaction(state: SessionState): Promise<string> {
  const { transaction, parameters } = state;
  if (!transaction.isExplicit) state.notify(NONE_IN_PROGRESS);
  await state.portals.closeUnheld();
  await state.portals.closeDeclaredIn(transaction.id);
  parameters.end('before');
  await transaction.rollback();
  return 'ROLLBACK';
}

/**
 * Commits the open transaction, or rolls back a failed one, and returns which it did. Open results are
 * closed, except those of cursors WITH HOLD.
 */
export async function endTransaction(state: SessionState): Promise<'COMMIT' | 'ROLLBACK'> {
  const { transaction, parameters } = state;
  const { id } = transaction;
  await state.portals.closeUnheld();
  let outcome: 'COMMIT' | 'ROLLBACK' = 'ROLLBACK';
  try {
    outcome = await transaction.commit();
    return outcome;
  } finally {
    if (outcome === 'ROLLBACK') await state.portals.closeDeclaredIn(id);
    parameters.end(outcome === 'COMMIT' ? 'committed' : 'before');
  }
}
