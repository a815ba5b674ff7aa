import type { PlanOperator, PlanSampleOptions } from '../../plan-nodes.ts';
import type { Relation } from '../relation.ts';
import { unsupported } from '../unsupported-plan.ts';
import { type BoundRelation, type ReadScope, readInput } from './bound-relation.ts';

const METHODS = new Set(['system', 'bernoulli', 'reservoir']);

export function readSample(
  node: PlanOperator & { readonly sample_options?: PlanSampleOptions },
  scope: ReadScope,
): BoundRelation {
  const { relation, bindings } = readInput(node, scope);
  return { relation: sampled(relation, node.sample_options), bindings };
}

/** Reads a sample of the rows. */
export function sampled(input: Relation, options: PlanSampleOptions | undefined): Relation {
  const { sample_size, is_percentage, method = '', seed } = options ?? {};
  const size = sample_size?.value;
  if ((typeof size !== 'number' && typeof size !== 'bigint') || !METHODS.has(method.toLowerCase()))
    return unsupported('how to sample');
  // Every non-negative number is a seed.
  const repeatable = seed === undefined || BigInt(seed) < 0n ? '' : ` REPEATABLE (${seed})`;
  const unit = is_percentage === true ? 'PERCENT' : 'ROWS';
  const sql = `${method.toLowerCase()}(${size} ${unit})${repeatable}`;
  return { kind: 'sample', input, sql, columns: input.columns };
}
