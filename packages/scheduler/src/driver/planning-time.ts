/** Planning that takes less is done at once, longer planning between other work of the process. */
const AT_ONCE_MS = 5;
const FREE_MS = 200;
/** Of the time that a run takes, so much may go to better plans. */
const SHARE = 0.1;

/**
 * How much of a run goes to asking for better plans. Planning holds up the whole process, pings of other nodes included, and the time
 * that it takes grows with the plan, as does the number of questions: a run over hundreds of stages must not take its node away from
 * all others for seconds. Where the time is spent, the run goes on with the plan that it has.
 */
export class PlanningTime {
  #spentMs = 0;
  #lastMs = 0;

  /** Whether another question fits into a run that has taken so long until now. */
  isLeft(elapsedMs: number): boolean {
    return this.#spentMs <= FREE_MS + SHARE * elapsedMs;
  }

  /** Whether the next question may be asked without letting other work go before it. */
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
