import type { LocalTasks, TaskRunner } from '@tessera/scheduler';

/** The task runner, with tasks that measure their operators. */
export const withProfiles = (remote: TaskRunner): TaskRunner => ({
  runTask: (node, task, options) => remote.runTask(node, { ...task, profiled: true }, options),
  release: (node, queryId, which) => remote.release(node, queryId, which),
});

/** The same for tasks in the session of the query. */
export const withLocalProfiles = (local: LocalTasks): LocalTasks => ({
  runTask: (task, options) => local.runTask({ ...task, profiled: true }, options),
  results: (task, session, signal) => local.results(task, session, signal),
  open: (task, session, signal) => local.open({ ...task, profiled: true }, session, signal),
});
