export { byteText } from './byte-text.ts';
export {
  type ClusterFacts,
  type DistributedPlan,
  type DynamicFilter,
  type ExchangeSource,
  type FinishedStage,
  HASH_BUCKETS,
  type NodeChoice,
  type PlanCost,
  type ScanSource,
  type SessionSource as LocalSource,
  type SqlTemplate,
  type Stage,
  type StageColumn,
  type StageId,
  type StageSource,
  type TableFacts,
  type TableValues,
  type ValueShares,
} from './distributed-plan.ts';
export { refine } from './distribution/distribute.ts';
export { COST_CONSTANTS, type CostConstants } from './distribution/placement/cost/cost-constants.ts';
export { choiceText } from './distribution/placement/cost/cost-text.ts';
export { planDistributed } from './distribution/plan-distributed.ts';
export type { PlanFacts } from './distribution/plan-facts.ts';
export { planText } from './distribution/plan-text.ts';
export { operatorWord } from './explain/operator-words.ts';
export {
  type ProfileOutline,
  physicalOutline,
  profileOutline,
} from './explain/physical-outline.ts';
export { logicalOutline, outlineText, type PlanOutline } from './explain/plan-outline.ts';
export { mirrorBootstrap } from './mirror-bootstrap.ts';
export { UnsupportedPlan } from './relational/unsupported-plan.ts';
export { PLAN_SQL } from './serialized-plan.ts';
export type { TableScan } from './table-scan.ts';
export { tableScans } from './table-scans.ts';
