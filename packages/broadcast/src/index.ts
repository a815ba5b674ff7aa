export { type BroadcastOptions, broadcastService, type ServedBroadcast } from './broadcast-service.ts';
export { type ClusterAnswers, clusterFactsService } from './cluster-facts.ts';
export {
  type ClusterIdentity,
  type ClusterRow,
  type OtherClusters,
  type OtherClustersOptions,
  openOtherClusters,
  type ViewOfOthers,
} from './other-clusters.ts';
