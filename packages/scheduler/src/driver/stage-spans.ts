import { childSpan, presentSpan, type Span, traceparentOf } from '@tessera/common';
import type { Task } from '@tessera/distexec';
import type { StageId } from '@tessera/planner';
import { isComplete, type SchedulerState } from '../state/scheduler-state.ts';

/** The spans of a run's stages, below the span in which the run begins; tasks belong to the span of their stage. */
export class StageSpans {
  readonly #parent = presentSpan();
  readonly #spans = new Map<StageId, Span>();

  /** The task with the span of its stage, if a trace is recorded. */
  task(task: Task): Task {
    if (this.#parent === undefined) return task;
    const { stage } = task.key;
    let span = this.#spans.get(stage);
    if (span === undefined) {
      span = childSpan(`stage ${stage}`, { 'tessera.stage': stage }, this.#parent);
      if (span === undefined) return task;
      this.#spans.set(stage, span);
    }
    return { ...task, traceparent: traceparentOf(span) };
  }

  /** Ends the spans of stages whose tasks have all finished. */
  changed(state: SchedulerState): void {
    for (const [stage, span] of this.#spans) {
      const one = state.stages[state.positions.get(stage) ?? -1];
      if (one === undefined || !isComplete(one)) continue;
      span.set({ 'tessera.tasks': one.tasks.length });
      span.end();
    }
  }

  close(): void {
    for (const span of this.#spans.values()) span.end();
  }
}
