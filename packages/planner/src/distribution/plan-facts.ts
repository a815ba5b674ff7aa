import type { ClusterFacts, TableFacts } from './distributed-plan.ts';

/** What is known when a plan is made. */
export interface PlanFacts {
  /** By bound name. */
  readonly tables: ReadonlyMap<string, TableFacts>;
  readonly cluster: ClusterFacts;
}
