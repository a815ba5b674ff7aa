import type { NodeChoice, PlanCost } from '../../../distributed-plan.ts';
import type { Relation } from '../../../relational/relation.ts';
import type { Planning, StageDraft } from '../planning.ts';
import { COST_CONSTANTS as COST } from './cost-constants.ts';
import { costOfStages, costOnOneNode } from './plan-cost.ts';

/** CPU time in ms below which one node is about as fast as several, and leaves the others free. */
const WORK_OF_ONE_NODE_MS = 1000;
/** Several nodes must be faster than one by at least this factor. */
const LEAST_SPEEDUP = 1.25;

/** Chooses one node for little work, and for work that several nodes would not finish faster. */
export function chooseNodes(planning: Planning, tree: Relation, drafts: readonly StageDraft[]): NodeChoice {
  const { storesResult } = planning.facts.cluster;
  const storingMs = storesResult === true ? (planning.estimates.of(tree).bytes * COST.storeByte) / 1000 : 0;
  const oneNode = plus(costOnOneNode(planning, tree), storingMs, 1);
  const allNodes = plus(costOfStages(planning, drafts), storingMs, planning.nodes);
  const isWorthAll =
    oneNode.cpuMs > WORK_OF_ONE_NODE_MS && allNodes.elapsedMs * LEAST_SPEEDUP < oneNode.elapsedMs;
  const available = planning.nodes;
  return { nodes: isWorthAll ? available : 1, available, oneNode, allNodes };
}

const plus = ({ cpuMs, elapsedMs }: PlanCost, moreMs: number, nodes: number): PlanCost => ({
  cpuMs: cpuMs + moreMs,
  elapsedMs: elapsedMs + moreMs / nodes,
});
