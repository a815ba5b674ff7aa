import { TesseraError } from '@tessera/common';
import type { KernelSession } from '@tessera/kernel';
import type { Shuffle, StoredOutput } from '@tessera/shuffle';
import { discardTablets, type StorageAgent, storeTablets, type TabletStore } from '@tessera/storage-agent';
import type { Task } from '../dist-exec.ts';
import { tabletsSql } from './tablet-rows.ts';

export interface OutputServices {
  readonly agent: StorageAgent;
  readonly shuffle: Shuffle;
  /** If undefined, no task writes tablets on this node. */
  readonly tablets: Omit<TabletStore, 'agent'> | undefined;
}

export interface StoreScope {
  readonly session: KernelSession;
  readonly signal: AbortSignal;
  /** Whether the statement may stay prepared. */
  readonly keep: boolean;
  /** See `Shuffle.store`. */
  readonly onLarge: () => void;
}

/**
 * Stores the rows of a task for its consumers. For a task with a sink, the rows become tablets in the object
 * store, and the list of these tablets is stored.
 */
export async function storeOutput(
  { key, output, sink, fewRows, profiled }: Task,
  sql: string,
  { session, signal, keep, onLarge }: StoreScope,
  { agent, shuffle, tablets: place }: OutputServices,
): Promise<StoredOutput> {
  if (sink === undefined)
    return shuffle.store(key, session, sql, output, { onLarge, fewRows, keep, profiled });
  if (place === undefined) throw TesseraError.of('NOT_READY', { reason: 'the node does not write tablets' });
  const tablets = await storeTablets({ ...place, agent }, { ...sink, session, sql, signal });
  try {
    return await shuffle.store(key, session, tabletsSql(tablets), output);
  } catch (error) {
    await discardTablets({ ...place, agent }, tablets);
    throw error;
  }
}
