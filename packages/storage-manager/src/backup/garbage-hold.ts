import { type Logger, newUlid } from '@tessera/common';
import type { EngineConfig } from '@tessera/config';
import type { ObjectStore } from '@tessera/object-store';
import type { NodeCredentials } from '@tessera/rpc';
import { LeaderChannels } from '../leader-channels.ts';
import { readIdentity } from '../store-identity.ts';
import { STORAGE_MANAGER_TIMES } from '../times.ts';

/** Protects the objects of a version from garbage collection, as a reading node does. */
export interface GarbageHold {
  /** Resolves with whether the leader has acknowledged it. */
  from(version: number): Promise<boolean>;
  release(): void;
}

/**
 * Holds garbage through the leader. If no leader can be reached, nothing is held and the reader may find
 * objects deleted.
 */
export async function holdGarbage(
  store: ObjectStore,
  config: EngineConfig,
  { clusterToken, tls }: NodeCredentials,
  log: Logger,
): Promise<GarbageHold> {
  const { instance } = config;
  const endpoint = instance.type === 'multi_engine' ? instance.multi_engine?.metadata_endpoint : undefined;
  const id = await readIdentity(store);
  const identity = id === undefined ? undefined : { instance: instance.id, id, url: store.url };
  const leaders = new LeaderChannels({ store, endpoint, ownAddress: '', clusterToken, tls, identity });
  const node = newUlid();
  let held = 0;
  const report = async (): Promise<boolean> => {
    let leader: Awaited<ReturnType<LeaderChannels['client']>>;
    try {
      leader = await leaders.client();
      if (leader === undefined) return false;
      const pins = { node, oldestVersion: BigInt(held), oldestWriteMs: BigInt(Date.now()) };
      await leader.reportPins(pins, { timeoutMs: STORAGE_MANAGER_TIMES.askTimeoutMs });
      return true;
    } catch (error) {
      log.debug({ err: error }, 'the leader of the metadata log was not told what the backup reads');
      if (leader !== undefined) leaders.failed(leader);
      return false;
    }
  };
  const interval = setInterval(() => void report(), STORAGE_MANAGER_TIMES.pinReportMs).unref();
  return {
    from: (version) => {
      held = version;
      return report();
    },
    release: () => {
      clearInterval(interval);
      leaders.close();
    },
  };
}
