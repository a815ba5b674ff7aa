import { fail } from '@tessera/common';
import { parseTree } from '@tessera/sql';
import { flattenConjunctions } from './flat-conjunctions.ts';
import type { PlanOperator } from './plan-nodes.ts';

/**
 * The SQL whose one value is the plan of the query in `$1`, as the functions of this package read it. Empty lists stay: among
 * grouping sets one means something.
 */
export const PLAN_SQL =
  'SELECT json_serialize_plan($1::VARCHAR, optimize := true, skip_null := true, skip_empty := false)';

/**
 * A chain of ANDs or ORs is one of them.
 * @throws TesseraError STATEMENT_FAILED when the kernel gave no plan
 */
export function parsePlan(serialized: string): PlanOperator {
  const answer = parseTree(serialized) as { error_message?: string; plans?: readonly PlanOperator[] };
  const [plan] = answer.plans ?? [];
  if (plan !== undefined) {
    flattenConjunctions(plan);
    return plan;
  }
  return fail('STATEMENT_FAILED', { message: `The kernel gives no plan: ${answer.error_message ?? ''}` });
}
