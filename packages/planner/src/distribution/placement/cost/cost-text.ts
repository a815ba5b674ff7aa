import type { NodeChoice } from '../../../distributed-plan.ts';

/** Formats `240 ms`, `1.3 s` with two digits, because estimates are not exact. */
export function milliseconds(ms: number): string {
  if (ms < 1000) return `${Number(ms.toPrecision(2))} ms`;
  return `${Number(Number((ms / 1000).toPrecision(2)).toFixed(1))} s`;
}

/** The two estimates that the number of nodes was chosen by. */
export const choiceText = ({ available, oneNode, allNodes }: NodeChoice): string =>
  `about ${milliseconds(oneNode.cpuMs)} of CPU time on one node; on ${available} node${available === 1 ? '' : 's'} ${milliseconds(allNodes.cpuMs)} in all, and ${milliseconds(allNodes.elapsedMs)} in the longest chain of tasks`;
