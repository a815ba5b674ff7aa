import type { Task, TaskSource } from '@tessera/distexec';
import type { LocalTasks } from '@tessera/scheduler';

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
