import type { Task, TaskSource } from '@tessera/distexec';
import type { LocalTasks, TaskRunner } from '@tessera/scheduler';

/** The options that all tasks of a query have in common. */
type TaskOptions = Pick<Task, 'profiled' | 'maxThreads' | 'sharesTables'>;

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

/** Tasks of this node, in which the query's own relations replace the empty tables that it was bound with. */
export function withSessionRelations(local: LocalTasks, relations: ReadonlyMap<string, string>): LocalTasks {
  if (relations.size === 0) return local;
  const placed = (source: TaskSource): TaskSource => {
    if (source.kind !== 'session') return source;
    const sql = relations.get(/\bempty_\d+\b/.exec(source.sql)?.[0] ?? '');
    return sql === undefined ? source : { ...source, sql: `(${sql})` };
  };
  const filled = <T extends Pick<Task, 'sources'>>(task: T): T => ({
    ...task,
    sources: task.sources.map(placed),
  });
  return {
    runTask: (task, options) => local.runTask(filled(task), options),
    results: (task, session, signal) => local.results(task, session, signal),
    open: (task, session, signal) => local.open(filled(task), session, signal),
  };
}
