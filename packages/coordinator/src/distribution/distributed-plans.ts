import type { Snapshot } from '@tessera/catalog';
import {
  type DistributedPlan,
  type FinishedStage,
  type PlanFacts,
  planDistributed,
  refine,
  type StageId,
  UnsupportedPlan,
} from '@tessera/planner';
import type { Binding } from '../read/binding.ts';
import type { ColumnStatisticsCache } from '../read/column-statistics-cache.ts';
import { tableFacts } from '../read/table-facts.ts';
import type { Settings } from '../settings.ts';

/** More rows than this are not gathered in one place, where there is another way. */
const GATHER_LIMIT_ROWS = 1_000_000;

/** A query that runs on one node although its tables are large. */
export interface UndistributedQuery {
  readonly plan?: undefined;
  /** Why it does, for people. */
  readonly reason: string;
  /** It could not be told in stages; otherwise no other node would help. */
  readonly isUnsupported: boolean;
}

export interface PlannedQuery {
  readonly plan: DistributedPlan;
  refine(
    plan: DistributedPlan,
    finished: ReadonlyMap<StageId, FinishedStage>,
    started: ReadonlySet<StageId>,
  ): DistributedPlan;
}

/** Whether a statement is to be run on several nodes, as far as the sizes of its tables tell. */
export function isWorthDistributing(
  tables: Binding['tables'],
  snapshot: Snapshot,
  nodes: number,
  settings: Settings,
): boolean {
  if (nodes < 2 || tables.size === 0 || !settings.enable_distributed_execution) return false;
  let bytes = 0;
  for (const { table } of tables.values()) bytes += snapshot.totals(table.id).bytes;
  return bytes >= settings.min_distributed_bytes;
}

/** The plan of a statement over several nodes, or why there is none. */
export function planQuery(
  binding: Binding,
  snapshot: Snapshot,
  nodes: number,
  settings: Settings,
  statistics: ColumnStatisticsCache,
): PlannedQuery | UndistributedQuery {
  const { serializedPlan } = binding;
  if (serializedPlan === undefined)
    return { reason: 'its plan is not known before it runs', isUnsupported: true };
  const facts: PlanFacts = {
    tables: new Map(
      [...binding.tables].map(([name, { table }]) => [name, tableFacts(snapshot, table, statistics)]),
    ),
    cluster: {
      nodes,
      broadcastLimitBytes: settings.broadcast_limit_bytes,
      wholeTableBytes: settings.whole_table_bytes,
      gatherLimitRows: GATHER_LIMIT_ROWS,
    },
  };
  const planned = remembered(binding, facts, () => makePlan(serializedPlan, facts));
  if (planned.plan === undefined) return planned;
  const { plan } = planned;
  return { plan, refine: (now, finished, started) => refine(now, finished, started, facts) };
}

type Planned = Pick<PlannedQuery, 'plan'> | UndistributedQuery;

function makePlan(serializedPlan: string, facts: PlanFacts): Planned {
  try {
    const plan = planDistributed(serializedPlan, facts);
    return plan.stages.length > 1
      ? { plan }
      : { reason: 'nothing of it is worth another node', isUnsupported: false };
  } catch (error) {
    if (error instanceof UnsupportedPlan) return { reason: error.message, isUnsupported: true };
    throw error;
  }
}

/** The last plan of each binding, and what it follows from. */
const plans = new WeakMap<Binding, { readonly key: string; readonly planned: Planned }>();

function remembered(binding: Binding, facts: PlanFacts, make: () => Planned): Planned {
  const key = keyOf(facts);
  const known = plans.get(binding);
  if (known?.key === key) return known.planned;
  const planned = make();
  plans.set(binding, { key, planned });
  return planned;
}

/** Equal for facts that would give much the same plan. */
function keyOf({ tables, cluster }: PlanFacts): string {
  const sizes = [...tables].map(([name, { rows, bytes }]) => [name, magnitude(rows), magnitude(bytes)]);
  return JSON.stringify([cluster, sizes]);
}

const magnitude = (n: number): number => Math.round(4 * Math.log2(n + 1));
