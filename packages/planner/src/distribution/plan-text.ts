import type { DistributedPlan, Stage, StageSource } from './distributed-plan.ts';

/** The stages of a plan, the root last, for people and for goldens. */
export function planText({ stages, unboundedGathers }: DistributedPlan): string {
  const texts = stages.map((stage, i) => stageText(stage, i === stages.length - 1));
  const gathers = unboundedGathers.map((reason) => `gathered without a bound: ${reason}\n`);
  return [...gathers, ...texts].join('\n');
}

function stageText(
  { id, spread, sources, output, estimate, after, outline }: Stage,
  isRoot: boolean,
): string {
  const keys = output.hashKeys.map((key) => output.columns[key]?.name ?? key);
  const facts = [
    spread,
    ...sources.flatMap(readText),
    ...(keys.length > 0 ? [`hashed by ${keys.join(', ')}`] : []),
    ...(after.length > 0 ? [`after ${after.join(', ')}`] : []),
    `about ${estimate.rows.toFixed(0)} rows, ${estimate.bytes.toFixed(0)} bytes`,
  ];
  const head = `stage ${id}${isRoot ? ' (root)' : ''}: ${facts.join('; ')}`;
  return [head, ...outline.map((line) => `  ${line}`), ''].join('\n');
}

const readText = (source: StageSource): string[] =>
  source.kind === 'exchange' ? [`reads stage ${source.stage} ${source.mode}`] : [];
