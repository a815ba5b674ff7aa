import { fail } from '@tessera/common';
import { parseTree } from '@tessera/sql';
import { flattenConjunctions } from './flat-conjunctions.ts';
import type { PlanOperator } from './plan-nodes.ts';

/**
 * The SQL that returns the plan of the query in `$1` as a single value, in the form that this package reads.
 * Empty lists are kept, because an empty grouping set is significant.
 */
export const PLAN_SQL =
  'SELECT json_serialize_plan($1::VARCHAR, optimize := true, skip_null := true, skip_empty := false)';

/**
 * Parses a plan and merges each chain of AND or OR into one conjunction.
 * @throws TesseraError STATEMENT_FAILED if the kernel returned no plan
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
