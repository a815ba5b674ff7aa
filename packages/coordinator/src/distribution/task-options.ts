import type { Task } from '@tessera/distexec';
import type { LocalTasks, TaskRunner } from '@tessera/scheduler';

/** The options that all tasks of a query have in common. */
export type TaskOptions = Pick<Task, 'profiled' | 'maxThreads' | 'sharesTables'>;

/** The task runner, with tasks that have these options. */
export const withTaskOptions = (remote: TaskRunner, common: TaskOptions): TaskRunner => ({
  runTask: (node, task, options) => remote.runTask(node, { ...task, ...common }, options),
  release: (node, queryId, which) => remote.release(node, queryId, which),
});

/** The same for tasks in the session of the query. */
export const withLocalTaskOptions = (local: LocalTasks, common: TaskOptions): LocalTasks => ({
  runTask: (task, options) => local.runTask({ ...task, ...common }, options),
  results: (task, session, signal) => local.results(task, session, signal),
  open: (task, session, signal) => local.open({ ...task, ...common }, session, signal),
});
