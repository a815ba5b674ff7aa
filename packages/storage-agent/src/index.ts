export { tabletEvictions } from './eviction/tablet-evictions.ts';
export { warmedTables } from './hot/warm-up.ts';
export { agentBootstrap, openStorageAgent, type StorageAgentOptions } from './open-storage-agent.ts';
export { ClusterTablets } from './peers/cluster-tablets.ts';
export { storageAgentService } from './service/storage-agent-service.ts';
export type {
  AgentMetrics,
  ChunkName,
  ContentsOf,
  CurrentContents,
  FilterRequest,
  ObjectRange,
  PeerTablets,
  ReadCounts,
  Scan,
  ScanRequest,
  ScanTablet,
  ScanUse,
  StorageAgent,
  StoredFilter,
} from './storage-agent.ts';
export {
  discardTablets,
  type RowsToStore,
  storeInOneTablet,
  storeTablets,
  type TabletStore,
} from './write/store-tablets.ts';
