export type { Action, Committed, Transaction } from './actions.ts';
export type * from './model.ts';
export type { Snapshot } from './snapshot.ts';
