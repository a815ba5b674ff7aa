import type { ExplainedOperator } from './explained-query.ts';

/** Identifies an operator in two plans of the same stage: by its kind, and by the tables and stages that it reads. */
export const keyOf = (operator: ExplainedOperator): string =>
  `${kindOf(operator)}|${leavesOf(operator).sort().join(',')}`;

/** Limit and sort together are one operator of the kernel. */
const kindOf = ({ operator }: ExplainedOperator): string => (operator === 'Top N' ? 'Sort' : operator);

const leavesOf = ({ operator, details, stage, inputs }: ExplainedOperator): string[] =>
  inputs.length === 0
    ? [stage === undefined ? `${details.table ?? operator}` : `stage ${stage}`]
    : inputs.flatMap(leavesOf);

const preorder = (operator: ExplainedOperator): readonly ExplainedOperator[] => [
  operator,
  ...operator.inputs.flatMap(preorder),
];

/**
 * The operators of the kernel for a stage, with the details that the planner gave them: the columns of a stage have internal
 * names in the kernel. An operator that is missing in the planner's tree, or there several times, has only the details of the kernel. Projections
 * that only pass columns on are left out.
 * @param stages the stages whose outputs the stage reads, in the order of its sources
 */
export function plannedDetails(
  profiled: ExplainedOperator,
  planned: ExplainedOperator,
  stages: readonly number[],
): ExplainedOperator {
  const exchanges = preorder(profiled).filter(({ operator }) => operator === 'Exchange');
  // The kernel does not say which output a scan of received rows reads.
  const isKnown = stages.length === 1 || exchanges.length === 0;
  const simplified = withoutProjections(profiled, isKnown ? stages[0] : undefined);
  const byKey = Map.groupBy(preorder(planned), keyOf);
  const counts = Map.groupBy(preorder(simplified), keyOf);
  const described = (operator: ExplainedOperator): ExplainedOperator => {
    const key = keyOf(operator);
    const found = byKey.get(key);
    const own = found?.length === 1 && counts.get(key)?.length === 1 ? found[0] : undefined;
    return {
      ...operator,
      details: own?.details ?? operator.details,
      estimated_rows: operator.estimated_rows ?? own?.estimated_rows,
      inputs: operator.inputs.map(described),
    };
  };
  return described(simplified);
}

function withoutProjections(operator: ExplainedOperator, stage: number | undefined): ExplainedOperator {
  const inputs = operator.inputs.map((input) => withoutProjections(input, stage));
  const [only] = inputs;
  if (operator.operator === 'Project' && only !== undefined)
    return { ...only, time_ms: (only.time_ms ?? 0) + (operator.time_ms ?? 0) };
  return operator.operator === 'Exchange'
    ? { ...operator, stage: operator.stage ?? stage, inputs }
    : { ...operator, inputs };
}
