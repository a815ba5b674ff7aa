export type {
  DistExec,
  KeySummary,
  OpenedSources,
  PiecesSource,
  RelationSource,
  RunTaskOptions,
  TableSource,
  Task,
  TaskOutcome,
  TaskProgress,
  TaskSource,
  TaskSql,
} from './dist-exec.ts';
