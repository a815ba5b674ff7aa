export { postgresType, typedColumn } from './facts/postgres-types.ts';
export {
  type FinishedQuery,
  type QueryFacts,
  type QueryProgress,
  type ScanTotals,
  scannedBytes,
} from './facts/query-facts.ts';
export { relationsOfDatabase } from './facts/relations-of-database.ts';
export type {
  ClusterFacts,
  ConfigurationFacts,
  MetricsSample,
  NodeFacts,
  PreparedStatementFacts,
  RowOfCluster,
  SystemFacts,
  TransactionInfo,
} from './facts/system-facts.ts';
export type { SystemValue } from './facts/system-relation.ts';
export { RUNNING_NOW, runningRow } from './information-schema/activity.ts';
export { rowsForOtherClusters, viewOfOthers } from './information-schema/cluster-views.ts';
export { INFORMATION_SCHEMA_VIEWS } from './information-schema/information-schema.ts';
export { showGrantsQuery } from './information-schema/show-grants.ts';
export { describedView, showQuery } from './information-schema/show-query.ts';
export { isPgCatalogRelation, PG_CATALOG_RELATIONS } from './pg-catalog/pg-catalog.ts';
export { type SystemCatalogRelation, systemCatalogRelations } from './pg-catalog/system-catalog-columns.ts';
export {
  createRelation,
  type EncodedRelation,
  encodedRelation,
  readsViewColumns,
  systemRelation,
} from './system-catalog.ts';
