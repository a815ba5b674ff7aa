export type { AdmissionOptions } from './admission/admission-control.ts';
export { type PlaceRequest, SharedPlaces } from './admission/shared-places.ts';
export type {
  ExplainedNode,
  ExplainedOperator,
  ExplainedQuery,
  ExplainedStage,
} from './binder/explained-query.ts';
export { Coordinator, type CoordinatorOptions } from './coordinator.ts';
export type { ClusterServices } from './distribution/cluster-services.ts';
export type { HistoryPlace } from './history/stored-history.ts';
export { type QueryEnd, queryEnds } from './queries/query-history.ts';
export type { RunningQuery } from './queries/running-queries.ts';
export { currentContents } from './read/current-contents.ts';
export type { Notice } from './request/notices.ts';
export { clearRequestDirectories, LazyRequestDirectory } from './request/request-directory.ts';
export { statementTexts } from './request/request-statements.ts';
export {
  DEFAULT_SETTINGS,
  expectedOfSetting,
  isSettingName,
  SETTING_MEANINGS,
  SETTING_NAMES,
  type Settings,
  settingDescription,
  withSettings,
} from './request/settings.ts';
export type {
  CopyInput,
  RequestDirectory,
  ResultEncoding,
  StatementRequest,
  UploadedFile,
} from './request/statement-request.ts';
export type {
  DoneResult,
  QueryStatistics,
  ResultChunk,
  RowsResult,
  SessionUpdate,
  StatementResult,
} from './request/statement-result.ts';
export { sharedTablesBootstrap } from './reuse/shared-table.ts';
export { SessionValues } from './sequences/session-values.ts';
export type { StatementDescription } from './statements/describe-statement.ts';
export type { Users } from './statements/user-directory.ts';
export type { TableServices } from './tables.ts';
export type { TemporaryTables } from './temporary/temporary-tables.ts';
export { vacuumJobEnds } from './vacuum/vacuum-jobs.ts';
