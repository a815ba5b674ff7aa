import type { PlanOperator, PlanValue } from '../../plan-nodes.ts';
import { unsupported } from '../unsupported-plan.ts';
import { type BoundRelation, type ReadScope, readInput } from './bound-relation.ts';

interface PlanSample extends PlanOperator {
  readonly sample_options?: {
    readonly sample_size?: PlanValue;
    readonly is_percentage?: boolean;
    readonly method?: string;
    readonly seed?: number | bigint;
  };
}

const METHODS = new Set(['system', 'bernoulli', 'reservoir']);

export function readSample(node: PlanSample, scope: ReadScope): BoundRelation {
  const input = readInput(node, scope);
  const { sample_size, is_percentage, method = '', seed } = node.sample_options ?? {};
  const size = sample_size?.value;
  if ((typeof size !== 'number' && typeof size !== 'bigint') || !METHODS.has(method.toLowerCase()))
    return unsupported('how to sample');
  // Every number without its sign is a seed.
  const repeatable = seed === undefined || BigInt(seed) < 0n ? '' : ` REPEATABLE (${seed})`;
  const unit = is_percentage === true ? 'PERCENT' : 'ROWS';
  return {
    relation: {
      kind: 'sample',
      input: input.relation,
      sql: `${method.toLowerCase()}(${size} ${unit})${repeatable}`,
      columns: input.relation.columns,
    },
    bindings: input.bindings,
  };
}
