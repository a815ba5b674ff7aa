import type { Action } from '../actions.ts';
import { CatalogDraft } from './catalog-draft.ts';
import { TransactionCheck } from './conflicts.ts';
import type { StateParts } from './state-parts.ts';

let tentativeStates = 0;

/**
 * The state as a transaction sees it that did the actions and is not committed. Tables it changed get a contents version
 * that nothing else in this process has.
 */
export function tentative(parts: StateParts, actions: readonly Action[]): StateParts {
  const draft = new CatalogDraft(parts, -++tentativeStates, parts.timeMs);
  new TransactionCheck(draft, Number.POSITIVE_INFINITY).run(actions);
  return draft.finish();
}
