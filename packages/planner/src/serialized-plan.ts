import { fail, inTurns, type Steps } from '@tessera/common';
import { treeSteps } from '@tessera/sql';
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
export const parsePlan = (serialized: string): Promise<PlanOperator> => inTurns(planSteps(serialized));

function* planSteps(serialized: string): Steps<PlanOperator> {
  const answer = (yield* treeSteps(serialized)) as {
    error_message?: string;
    plans?: readonly PlanOperator[];
  };
  const [plan] = answer.plans ?? [];
  if (plan !== undefined) {
    yield* flattenConjunctions(plan);
    return plan;
  }
  return fail('STATEMENT_FAILED', { message: `The kernel gives no plan: ${answer.error_message ?? ''}` });
}

/** The number of nodes that one step reads. */
const STEP_NODES = 1024;

interface Node {
  type?: string;
  children?: readonly Node[];
}

/**
 * Merges each chain of AND or OR into one conjunction, in place: the kernel binds `a OR b OR c` as nested
 * pairs, as deep as the chain is long. This walk, and later walks over its result, then need no recursion per
 * link.
 */
export function* flattenConjunctions(root: object): Steps<void> {
  const pending: object[] = [root];
  let nodes = 0;
  for (let node = pending.pop() as Node | undefined; node !== undefined; node = pending.pop() as Node) {
    if (++nodes % STEP_NODES === 0) yield;
    if (isConjunction(node)) node.children = operands(node);
    for (const value of Object.values(node)) {
      if (typeof value === 'object' && value !== null) pending.push(value);
    }
  }
}

/** The operands, in order. */
function operands(conjunction: Node): readonly Node[] {
  const found: Node[] = [];
  const pending = [conjunction];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node !== conjunction && node.type !== conjunction.type) found.push(node);
    else for (const child of [...(node.children ?? [])].reverse()) pending.push(child);
  }
  return found;
}

const isConjunction = ({ type, children }: Node): boolean =>
  (type === 'CONJUNCTION_AND' || type === 'CONJUNCTION_OR') && Array.isArray(children);
