import { type DriverOptions, PlanRun } from './driver/plan-run.ts';
import type { ExecutePlan } from './stage-execution.ts';

/** `executePlan` with other limits. */
export const executePlanWith =
  (options: DriverOptions): ExecutePlan =>
  (execution, cluster, local) =>
    new PlanRun(execution, cluster, local, options).run();

export const executePlan: ExecutePlan = executePlanWith({});
