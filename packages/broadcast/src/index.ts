export type { ClusterIdentity } from './announcements.ts';
export { type BroadcastOptions, broadcastService, type ServedBroadcast } from './broadcast-service.ts';
export { type ClusterAnswers, clusterFactsService } from './cluster-facts.ts';
export { type OtherClusters, type OtherClustersOptions, openOtherClusters } from './other-clusters.ts';
export { type BroadcastPlace, type ClusterRow, engineName, type ViewOfOthers } from './service-connection.ts';
