import { type KernelSession, quoteName, quoteText } from '@tessera/kernel';
import {
  logicalOutline,
  outlineText,
  PLAN_SQL,
  type PlanCost,
  type PlanOutline,
  physicalOutline,
  planText,
} from '@tessera/planner';
import { type ExecutedPlan, profileText } from '@tessera/scheduler';
import type { ExplainStatement, IndexUse, OutputColumn, PreparedQuery } from '@tessera/sql';
import type { PlannedQuery, UndistributedQuery } from '../distribution/distributed-plans.ts';
import type { ExecutableQuery } from '../read/executable-query.ts';
import { renamed, type TableNames } from '../read/table-names.ts';
import { executedStageMembers, stageMembers } from './explained-stages.ts';
import { type ExplainedTable, tableLines, tableMembers, tableStatistics } from './explained-tables.ts';

/** A query to explain, with what is known about it before it runs. */
export interface ExplainableQuery {
  readonly prepared: PreparedQuery;
  /** The session that plans `boundSql`: the binder's, or the query's own if it reads no tables. */
  readonly planner: KernelSession;
  readonly tables: readonly ExplainedTable[];
  /** The aggregating indexes of the tables that the query names. */
  readonly indexes: readonly IndexUse[];
  /** Its stages on several nodes; undefined if its tables are small, or if there is one node. */
  readonly distribution?: PlannedQuery | UndistributedQuery | undefined;
  /** The user-visible names of tables, by bound name. */
  readonly names: TableNames;
  /** Makes the query ready to run: only ANALYZE fetches what it reads. */
  run(): Promise<ExecutableQuery>;
}

type Part = 'logical' | 'physical' | 'analyze' | 'statistics';

const partsOf = ({ part }: ExplainStatement): readonly Part[] =>
  part === 'all' ? ['logical', 'physical', 'analyze'] : [part];

/** One text column for each requested part. */
export const explainColumns = (statement: ExplainStatement): readonly OutputColumn[] =>
  partsOf(statement).map((part) => {
    const name = statement.part === 'all' ? `explain_${part}` : 'explain';
    return { name, type: { kind: 'text' }, nullable: false };
  });

/** SQL that returns one row describing how a query runs, with a column for each requested part. */
export async function explainSql(
  statement: ExplainStatement,
  query: ExplainableQuery,
): Promise<{ readonly sql: string; readonly columns: readonly OutputColumn[] }> {
  const columns = explainColumns(statement);
  const items: string[] = [];
  for (const [i, part] of partsOf(statement).entries()) {
    const text = await (statement.format === 'json' ? jsonOf(part, query) : textOf(part, query));
    items.push(`${quoteText(text)} AS ${quoteName(columns[i]!.name)}`);
  }
  return { sql: `SELECT ${items.join(', ')}`, columns };
}

async function textOf(part: Part, query: ExplainableQuery): Promise<string> {
  if (part === 'analyze') {
    const executable = await query.run();
    const plan = await kernelExplain(executable.session, `EXPLAIN (ANALYZE) ${executable.sql}`);
    const local = renamed(withoutStatement(plan), query.names);
    const stages =
      executable.executed === undefined ? onOneNode(query) : stagesText(executable.executed, query.names);
    return sections(`${stages}${local}`, tableLines(used(query, executable)), query);
  }
  const plan = part === 'physical' ? await physicalText(query) : outlineText(await logicalOf(query));
  return sections(
    plan,
    part === 'statistics' ? tableStatistics(query.tables) : tableLines(query.tables),
    query,
  );
}

/** The stages if it runs on several nodes, otherwise the kernel's operators. */
async function physicalText(query: ExplainableQuery): Promise<string> {
  const { distribution, names } = query;
  if (distribution?.plan !== undefined) return renamed(planText(distribution.plan), names);
  return onOneNode(query) + outlineText(await physicalOf(query));
}

/** The reason why a query of large tables does not run on several nodes. */
const onOneNode = ({ distribution }: ExplainableQuery): string =>
  distribution !== undefined && 'reason' in distribution ? `On one node: ${distribution.reason}\n\n` : '';

/** The stages that ran, with their measurements. */
const stagesText = (executed: ExecutedPlan, names: TableNames): string =>
  `${renamed(planText(executed.plan), names).trimEnd()}\n\nWhat the stages took\n${profileText(executed)
    .map((line) => `  ${line}\n`)
    .join('')}\nThe last stage, on this node\n`;

async function jsonOf(part: Part, query: ExplainableQuery): Promise<string> {
  if (part === 'analyze') {
    const executable = await query.run();
    const text = await kernelExplain(executable.session, `EXPLAIN (ANALYZE, FORMAT json) ${executable.sql}`);
    const { query_name: _, ...profile } = JSON.parse(text);
    const stages = executable.executed && executedStageMembers(executable.executed, query.names);
    return JSON.stringify({
      profile,
      stages,
      tables: tableMembers(used(query, executable)),
      aggregating_indexes: indexMembers(query.indexes),
    });
  }
  const plan = await (part === 'physical' ? physicalOf(query) : logicalOf(query));
  const { distribution } = query;
  const stages =
    part === 'physical' ? distribution?.plan && stageMembers(distribution.plan, query.names) : undefined;
  const unboundedGathers = part === 'physical' ? distribution?.plan?.unboundedGathers : undefined;
  const oneNode = distribution !== undefined && 'reason' in distribution ? distribution.reason : undefined;
  return JSON.stringify({
    plan,
    nodes: part === 'physical' ? nodesMember(distribution) : undefined,
    stages,
    unbounded_gathers: unboundedGathers,
    on_one_node: oneNode,
    tables: tableMembers(query.tables, { statistics: part === 'statistics' }),
    aggregating_indexes: indexMembers(query.indexes),
  });
}

/** The number of nodes, and the estimates in CPU milliseconds that the choice was based on. */
function nodesMember(distribution: ExplainableQuery['distribution']) {
  const choice = distribution?.plan === undefined ? distribution?.choice : distribution.plan.choice;
  if (choice === undefined) return undefined;
  const cost = ({ cpuMs, elapsedMs }: PlanCost) => ({ cpu_ms: cpuMs, elapsed_ms: elapsedMs });
  return {
    chosen: distribution?.plan === undefined ? 1 : choice.available,
    available: choice.available,
    on_one_node: cost(choice.oneNode),
    on_all_nodes: cost(choice.allNodes),
  };
}

function sections(plan: string, tables: readonly string[], { indexes }: ExplainableQuery): string {
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? '' : `\n${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
  const all = `${section('Tables', tables)}${section('Aggregating indexes', indexes.map(indexLine))}`;
  return all === '' ? plan : `${plan.trimEnd()}\n${all}`;
}

const indexLine = ({ index, table, rows, reason }: IndexUse): string => {
  if (reason !== undefined) return `${index} on ${table}: not used, because ${reason}`;
  const rest = rows.rest === 0 ? '' : ` and ${rows.rest} rows of tablets without any`;
  return `${index} on ${table}: ${rows.partial} partial rows${rest} are read instead of ${rows.table} rows`;
};

const indexMembers = (indexes: readonly IndexUse[]) =>
  indexes.map(({ index, table, rows, reason }) => ({
    index,
    table,
    used: reason === undefined,
    reason,
    partial_rows: rows.partial,
    rows_without_partials: rows.rest,
    table_rows: rows.table,
  }));

/** The tables with the measurements of reading them. */
const used = ({ tables }: ExplainableQuery, executable: ExecutableQuery): readonly ExplainedTable[] =>
  tables.map((table) => {
    const access = executable.tables.find((one) => one.table.id === table.access.table.id);
    return { ...table, use: access?.use, isLate: access?.isLate };
  });

/** The kernel's profile from the box with the time on: the statement above it is internal. */
function withoutStatement(plan: string): string {
  const lines = plan.split('\n');
  const time = lines.findIndex((line) => /^││\s+Total Time:/.test(line));
  return lines.slice(Math.max(0, time - 2)).join('\n');
}

const logicalOf = ({ prepared, planner, names }: ExplainableQuery): Promise<PlanOutline> =>
  orUntold(async () => {
    const plan = await planner.scalar(PLAN_SQL, [prepared.boundSql ?? prepared.sql]);
    return logicalOutline(String(plan), (bound) => names.get(bound) ?? bound);
  });

const physicalOf = ({ prepared, planner, names }: ExplainableQuery): Promise<PlanOutline> =>
  orUntold(async () => {
    const sql = prepared.boundSql ?? prepared.sql;
    const json = await kernelExplain(planner, `EXPLAIN (FORMAT json) ${sql}`);
    const plan = String(await planner.scalar(PLAN_SQL, [sql]));
    return physicalOutline(json, plan, (text) => renamed(text, names));
  });

/**
 * Undefined if there is no outline: for scans of files, and for some plans of optimisers that only run in the
 * query's own kernel.
 */
async function orUntold(told: () => Promise<PlanOutline>): Promise<PlanOutline> {
  try {
    return await told();
  } catch (error) {
    const plan = `not told by the kernel: ${(error as Error).message}`;
    return { operator: 'Query', details: { plan }, inputs: [] };
  }
}

async function kernelExplain(session: KernelSession, sql: string): Promise<string> {
  const result = await session.query(sql);
  let plan = '';
  for await (const batch of result.batches) plan += Buffer.from(batch.textColumn(1)).toString('utf8');
  return plan;
}
