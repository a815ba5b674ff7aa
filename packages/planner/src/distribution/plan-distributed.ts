import type { DistributedPlan } from '../distributed-plan.ts';
import { readPlan } from '../relational/reading/read-plan.ts';
import { distribute } from './distribute.ts';
import type { PlanFacts } from './plan-facts.ts';

/**
 * Divides the kernel's plan, as `PLAN_SQL` returns it, into stages.
 * @throws UnsupportedPlan
 */
export const planDistributed = async (serializedPlan: string, facts: PlanFacts): Promise<DistributedPlan> =>
  distribute(await readPlan(serializedPlan), facts);
