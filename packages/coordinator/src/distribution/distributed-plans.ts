import type { Snapshot } from '@tessera/catalog';
import {
  choiceText,
  type NodeChoice,
  type PlanFacts,
  planDistributed,
  refine,
  type TableFacts,
  UnsupportedPlan,
} from '@tessera/planner';
import type { ClusterNode, PlanExecution } from '@tessera/scheduler';
import type { BoundQuery } from '../read/bound-query.ts';
import type { ColumnStatisticsCache } from '../read/column-statistics-cache.ts';
import { fileFacts, tableFacts } from '../read/table-facts.ts';
import type { Settings } from '../request/settings.ts';

/** With more rows than this, the planner avoids gathering in one place if there is another way. */
const GATHER_LIMIT_ROWS = 1_000_000;

/** A query that runs on one node although its tables are large. */
export interface UndistributedQuery {
  readonly plan?: undefined;
  /** The reason, for EXPLAIN. */
  readonly reason: string;
  /** Whether its plan could not be divided into stages; otherwise further nodes would not help. */
  readonly isUnsupported: boolean;
  /** The estimates that the choice of the number of nodes was based on; undefined if there are none. */
  readonly choice?: NodeChoice | undefined;
}

export type PlannedQuery = Pick<PlanExecution, 'plan' | 'refine'>;

/** Whether a statement should be planned for several nodes, by its settings and the sizes of its tables. */
export function isWorthDistributing(
  { tables, files }: Pick<BoundQuery, 'tables' | 'files'>,
  snapshot: Snapshot,
  nodes: number,
  settings: Settings,
): boolean {
  if (nodes < 2 || !settings.enable_distributed_execution) return false;
  if (settings.nodes_per_query > 0) return true;
  let bytes = 0;
  for (const { scan } of files.values()) bytes += scan.bytes;
  for (const { table } of tables.values()) bytes += snapshot.totals(table.id).bytes;
  return bytes >= settings.min_distributed_bytes;
}

/** The inputs of planning in addition to the query. */
export interface PlanningScope {
  readonly snapshot: Snapshot;
  readonly nodes: readonly Pick<ClusterNode, 'memoryLimitBytes'>[];
  readonly settings: Settings;
  readonly statistics: ColumnStatisticsCache;
  /** Whether the rows are written to a table. */
  readonly storesResult: boolean;
  /** Keyed by bound name. */
  readonly keys: ReadonlyMap<string, TableFacts['key']>;
}

/** The plan of a statement over several nodes, or the reason why there is none. */
export async function planQuery(
  binding: BoundQuery,
  { snapshot, nodes, settings, statistics, storesResult, keys }: PlanningScope,
): Promise<PlannedQuery | UndistributedQuery> {
  const { serializedPlan } = binding;
  if (serializedPlan === undefined)
    return { reason: 'it contains a part whose plan is only known when it runs', isUnsupported: true };
  const facts: PlanFacts = {
    tables: new Map([
      ...[...binding.tables].map(
        ([name, { table }]) =>
          [name, { ...tableFacts(snapshot, table, statistics), key: keys.get(name) }] as const,
      ),
      ...[...binding.files].map(([name, files]) => [name, fileFacts(files)] as const),
    ]),
    cluster: {
      nodes: nodes.length,
      broadcastLimitBytes: settings.broadcast_limit_bytes,
      joinKeyFilters: settings.join_key_filters,
      wholeTableBytes: settings.whole_table_bytes,
      nodeMemoryBytes: Math.min(...nodes.map(({ memoryLimitBytes }) => memoryLimitBytes)),
      gatherLimitRows: GATHER_LIMIT_ROWS,
      storesResult,
    },
  };
  const isForced = settings.nodes_per_query > 0 || settings.min_distributed_bytes === 0;
  const planned = await remembered(binding, facts, isForced, () => makePlan(serializedPlan, facts, isForced));
  if (planned.plan === undefined) return planned;
  const { plan } = planned;
  return { plan, refine: (now, finished, started) => refine(now, finished, started, facts) };
}

type Planned = Pick<PlannedQuery, 'plan'> | UndistributedQuery;

/** @param isForced whether the plan is used even if one node would suffice */
async function makePlan(serializedPlan: string, facts: PlanFacts, isForced: boolean): Promise<Planned> {
  try {
    const plan = await planDistributed(serializedPlan, facts);
    const { choice } = plan;
    if (plan.stages.length === 1)
      return {
        reason: 'no part of it is large enough to gain from another node',
        isUnsupported: false,
        choice,
      };
    if (isForced || choice === undefined || choice.nodes > 1) return { plan };
    return { reason: choiceText(choice), isUnsupported: false, choice };
  } catch (error) {
    if (error instanceof UnsupportedPlan) return { reason: error.message, isUnsupported: true };
    throw error;
  }
}

/** The last plan of each binding, with the key of its inputs. */
const plans = new WeakMap<BoundQuery, { readonly key: string; readonly planned: Planned }>();

async function remembered(
  binding: BoundQuery,
  facts: PlanFacts,
  isForced: boolean,
  make: () => Promise<Planned>,
): Promise<Planned> {
  const key = keyOf(facts, isForced);
  const known = plans.get(binding);
  if (known?.key === key) return known.planned;
  const planned = await make();
  plans.set(binding, { key, planned });
  return planned;
}

/** A key that is equal for statistics that would lead to similar plans. */
function keyOf({ tables, cluster }: PlanFacts, isForced: boolean): string {
  const sizes = [...tables].map(([name, { rows, bytes, key, values }]) => [
    name,
    magnitude(rows),
    magnitude(bytes),
    key?.domain,
    values?.version,
  ]);
  return JSON.stringify([cluster, isForced, sizes]);
}

const magnitude = (n: number): number => Math.round(4 * Math.log2(n + 1));
