import { UnsupportedPlan } from '../relational/unsupported-plan.ts';
import type {
  ClusterFacts,
  DistributedPlan,
  FinishedStage,
  StageId,
  TableFacts,
} from './distributed-plan.ts';

export interface PlanFacts {
  /** By bound name. */
  readonly tables: ReadonlyMap<string, TableFacts>;
  readonly cluster: ClusterFacts;
}

/**
 * The kernel's plan, as `PLAN_SQL` gives it, in stages.
 * @throws UnsupportedPlan
 */
export function planDistributed(_serializedPlan: string, _facts: PlanFacts): DistributedPlan {
  throw new UnsupportedPlan('no rule yet');
}

/** A better plan, knowing what became of stages; those that were started are kept. */
export const refine = (
  plan: DistributedPlan,
  _finished: ReadonlyMap<StageId, FinishedStage>,
  _started: ReadonlySet<StageId>,
  _facts: PlanFacts,
): DistributedPlan => plan;
