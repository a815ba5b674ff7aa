export type { ResultOutput, ResultPart } from '@tessera/shuffle';
export type {
  DistExec,
  ExchangeBlocks,
  KeyFilter,
  KeySummary,
  OpenedSources,
  ResultTask,
  RunTaskOptions,
  SessionRelation,
  SourceRead,
  TableScan,
  TabletSink,
  Task,
  TaskOperator,
  TaskOutcome,
  TaskProfile,
  TaskProgress,
  TaskSource,
  TaskSql,
  TaskToOpen,
} from './dist-exec.ts';
export { type DistExecOptions, openDistExec } from './open-dist-exec.ts';
export { TABLET_ROWS, tabletOfRow } from './run/tablet-rows.ts';
export {
  type DistExecServiceOptions,
  distExecService,
  type ServedDistExec,
} from './service/dist-exec-service.ts';
export { type RemoteTasks, type RunRemoteTaskOptions, remoteTasks } from './service/remote-tasks.ts';
