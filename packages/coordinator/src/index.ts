export type { AdmissionOptions } from './admission/admission-control.ts';
export { Coordinator, type CoordinatorOptions } from './coordinator.ts';
export type { StatementDescription } from './describe-statement.ts';
export type { ClusterServices } from './distribution/cluster-services.ts';
export type { Notice } from './notices.ts';
export { clearRequestDirectories, LazyRequestDirectory } from './request-directory.ts';
export { DEFAULT_DATABASE } from './request-session.ts';
export type { RunningQuery } from './running-queries.ts';
export { SessionValues } from './sequences/session-values.ts';
export {
  DEFAULT_SETTINGS,
  expectedOfSetting,
  isSettingName,
  SETTING_MEANINGS,
  SETTING_NAMES,
  type Settings,
  withSettings,
} from './settings.ts';
export type {
  CopyInput,
  RequestDirectory,
  ResultEncoding,
  StatementRequest,
  UploadedFile,
} from './statement-request.ts';
export type {
  DoneResult,
  QueryStatistics,
  ResultChunk,
  RowsResult,
  SessionUpdate,
  StatementResult,
} from './statement-result.ts';
export type { TableServices } from './tables.ts';
export type { TemporaryTables } from './temporary/temporary-tables.ts';
export type { Users } from './user-directory.ts';
export { vacuumJobEnds } from './vacuum/vacuum-jobs.ts';
