import type { ClusterFacts, TableFacts } from '../distributed-plan.ts';

/** Facts about tables and the cluster that the planner uses. */
export interface PlanFacts {
  /** The tables by bound name. */
  readonly tables: ReadonlyMap<string, TableFacts>;
  readonly cluster: ClusterFacts;
}
