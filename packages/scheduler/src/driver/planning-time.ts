/** Shorter planning is done at once; longer planning is interleaved with other work of the process. */
const AT_ONCE_MS = 5;
const FREE_MS = 200;
/** The fraction of a run's time that may be spent on better plans. */
const SHARE = 0.1;

/**
 * Limits the time that a run spends on refining its plan. Planning blocks the whole process, including pings
 * of other nodes. Its time grows with the plan, and so does the number of refinements: a run with hundreds of
 * stages must not block its node for seconds. When the time is used up, the run continues with its current
 * plan.
 */
export class PlanningTime {
  #spentMs = 0;
  #lastMs = 0;

  /** Whether another refinement is affordable for a run that has taken this long so far. */
  isLeft(elapsedMs: number): boolean {
    return this.#spentMs <= FREE_MS + SHARE * elapsedMs;
  }

  /** Whether the next refinement may run without yielding to other work first. */
  get isShort(): boolean {
    return this.#lastMs < AT_ONCE_MS;
  }

  measured<T>(work: () => T): T {
    const startedAtMs = performance.now();
    try {
      return work();
    } finally {
      this.#lastMs = performance.now() - startedAtMs;
      this.#spentMs += this.#lastMs;
    }
  }
}
