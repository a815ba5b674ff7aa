import type { DistributedPlan, Stage, StageId } from '@tessera/planner';
import type { Random } from './random.ts';
import type { SimulatedPlan } from './random-plan.ts';

/**
 * The behaviour of the planner. `helpful`: sometimes changes exchanges. `restless`: replaces each finished
 * stage by a new equivalent one. `forgetful`: drops a stage that others read.
 */
type Temper = 'helpful' | 'restless' | 'forgetful';

/** The planner that a run asks for better plans. A run must survive its defects. */
export class SimulatedPlanner {
  readonly temper: Temper;
  readonly #random: Random;
  readonly #plan: SimulatedPlan;
  /** New stages, with the stages of the first plan that they repeat. */
  readonly #originals = new Map<StageId, StageId>();
  #nextStage: StageId;
  hasForgotten = false;

  constructor(random: Random, plan: SimulatedPlan) {
    this.#random = random;
    this.#plan = plan;
    this.#nextStage = plan.plan.stages.length;
    this.temper = random.chance(0.06) ? 'restless' : random.chance(0.02) ? 'forgetful' : 'helpful';
  }

  /** The stage of the first plan that a stage is or repeats. */
  original(id: StageId): StageId {
    return this.#originals.get(id) ?? id;
  }

  refined(
    plan: DistributedPlan,
    finished: ReadonlySet<StageId>,
    started: ReadonlySet<StageId>,
  ): DistributedPlan {
    if (this.temper === 'restless') return this.#repeated(plan, finished, started);
    if (this.temper === 'forgetful' && !this.hasForgotten) return this.#shortened(plan, started);
    if (this.#random.chance(0.5)) return plan;
    const changed = (stage: Stage) =>
      started.has(stage.id) || !this.#random.chance(0.2) ? stage : otherExchange(stage);
    return { ...plan, stages: plan.stages.map(changed) };
  }

  #repeated(
    plan: DistributedPlan,
    finished: ReadonlySet<StageId>,
    started: ReadonlySet<StageId>,
  ): DistributedPlan {
    const { volatile, unsteady } = this.#plan;
    const isSteady = (id: StageId) => !volatile.has(this.original(id)) && !unsteady.has(this.original(id));
    for (const reader of plan.stages) {
      if (started.has(reader.id)) continue;
      const source = reader.sources.find((one) => one.kind === 'exchange' && finished.has(one.stage));
      if (source?.kind !== 'exchange' || !isSteady(source.stage)) continue;
      const repeated = plan.stages.find(({ id }) => id === source.stage);
      if (repeated === undefined) continue;
      const id = this.#nextStage++;
      this.#originals.set(id, this.original(repeated.id));
      const sources = reader.sources.map((one) => (one === source ? { ...one, stage: id } : one));
      const stages = plan.stages.flatMap((stage) =>
        stage === reader
          ? [
              { ...repeated, id },
              { ...reader, sources },
            ]
          : [stage],
      );
      return { ...plan, stages };
    }
    return plan;
  }

  #shortened(plan: DistributedPlan, started: ReadonlySet<StageId>): DistributedPlan {
    const unstarted = plan.stages.slice(0, -1).filter(({ id }) => !started.has(id));
    if (unstarted.length === 0) return plan;
    const forgotten = this.#random.pick(unstarted);
    this.hasForgotten = true;
    return { ...plan, stages: plan.stages.filter((stage) => stage !== forgotten) };
  }
}

/** Replaces a hash exchange by a gather exchange. */
function otherExchange(stage: Stage): Stage {
  if (stage.partitioning !== 'hash' || stage.sliceable) return stage;
  const sources = stage.sources.map((source) =>
    source.kind === 'exchange' && source.mode === 'hash' ? ({ ...source, mode: 'gather' } as const) : source,
  );
  return { ...stage, partitioning: 'single', sources };
}
