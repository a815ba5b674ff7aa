import type { DistributedPlan, FinishedStage, StageId } from '../distributed-plan.ts';

/** The number of refined plans that are kept. One of TPC-DS takes about 100 KB. */
const MAX_KEPT = 128;

/**
 * Refined plans by the plan and the sizes that they were made from, least recently used first. A repeated query is refined in the same way.
 */
const kept = new Map<string, DistributedPlan>();
const numbers = new WeakMap<DistributedPlan, number>();
let lastNumber = 0;

/** The refinement of a plan for finished stages of about these sizes, made if there is none. */
export function refinedOnce(
  plan: DistributedPlan,
  finished: ReadonlyMap<StageId, FinishedStage>,
  started: ReadonlySet<StageId>,
  make: () => DistributedPlan,
): DistributedPlan {
  const sizes = [...finished].map(
    ([id, { rows, bytes }]) => [id, magnitude(rows), magnitude(bytes)] as const,
  );
  const key = JSON.stringify([
    numberOf(plan),
    sizes.toSorted(([a], [b]) => a - b),
    [...started].toSorted((a, b) => a - b),
  ]);
  const refined = kept.get(key) ?? make();
  kept.delete(key);
  kept.set(key, refined);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT) kept.delete(oldest!);
  return refined;
}

/** Equal for sizes that differ by less than a tenth, for which plans are about equally good. */
const magnitude = (size: number): number => Math.round(8 * Math.log2(size + 1));

function numberOf(plan: DistributedPlan): number {
  const number = numbers.get(plan) ?? ++lastNumber;
  numbers.set(plan, number);
  return number;
}
