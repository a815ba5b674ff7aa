import { type InjectedFault, withFaults } from './driver/injected-faults.ts';
import { type DriverOptions, PlanRun } from './driver/plan-run.ts';
import type { ExecutePlan } from './stage-execution.ts';

export interface ExecutePlanOptions extends DriverOptions {
  /** The faults to inject. */
  readonly faults?: readonly InjectedFault[] | undefined;
}

/** `executePlan` with other limits, or with injected faults. */
export const executePlanWith =
  ({ faults = [], ...options }: ExecutePlanOptions): ExecutePlan =>
  (execution, nodes) =>
    new PlanRun(execution, withFaults(faults, nodes), options).run();

export const executePlan: ExecutePlan = executePlanWith({});
