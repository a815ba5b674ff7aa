import { type KernelSession, quoteName, quoteText } from '@tessera/kernel';
import {
  byteText,
  choiceText,
  logicalOutline,
  outlineText,
  PLAN_SQL,
  type PlanCost,
  type PlanOutline,
  type ProfileOutline,
  physicalOutline,
  planText,
  profileOutline,
} from '@tessera/planner';
import { profileText } from '@tessera/scheduler';
import type { ExplainStatement, IndexUse, OutputColumn, PreparedQuery } from '@tessera/sql';
import type { PlannedQuery, UndistributedQuery } from '../distribution/distributed-plans.ts';
import type { CompiledPatterns } from '../read/bound-query.ts';
import type { ExecutableQuery } from '../read/executable-query.ts';
import { renamed, type TableNames } from '../read/table-names.ts';
import { withRowsScanned } from './executed-operators.ts';
import { type ExplainedFiles, fileLines, fileMembers } from './explained-files.ts';
import type { ExplainedNodes, ExplainedOperator, ExplainedQuery, ExplainedStage } from './explained-query.ts';
import {
  type ExplainedPart,
  type ExplainedReuse,
  partLine,
  partMember,
  reuseLine,
  reuseMember,
} from './explained-reuse.ts';
import { executedStageMember, operatorMember, stageMember } from './explained-stages.ts';
import { type ExplainedTable, tableLines, tableMembers, tableStatistics } from './explained-tables.ts';
import { plannedDetails } from './planned-details.ts';

/** The operator that EXPLAIN shows above the query of a statement that changes rows. */
export type ChangeOperator = Pick<PlanOutline, 'operator' | 'details'>;

/** A query to explain, with what is known about it before it runs. */
export interface ExplainableQuery {
  readonly prepared: PreparedQuery;
  /** The statement that changes the rows of the query; undefined if only the query is explained. */
  readonly change?: ChangeOperator | undefined;
  /** The session that plans `boundSql`: the binder's, or the query's own if it reads no tables. */
  readonly planner: KernelSession;
  readonly tables: readonly ExplainedTable[];
  /** Its tables of files outside the managed store. */
  readonly files: readonly ExplainedFiles[];
  /** The aggregating indexes of the tables that the query names. */
  readonly indexes: readonly IndexUse[];
  /** The columns of its regular expressions. */
  readonly patterns: readonly CompiledPatterns[];
  /** Its stages on several nodes; undefined if its tables are small, or if there is one node. */
  readonly distribution?: PlannedQuery | UndistributedQuery | undefined;
  /** The user-visible names of tables, by bound name. */
  readonly names: TableNames;
  /** Whether its result is reused, once it is ready to run; undefined if this node keeps no results. */
  reuse(scannedRows: number): ExplainedReuse | undefined;
  /** The parts whose rows later queries may read, with those that are kept. */
  readonly parts: readonly ExplainedPart[];
  /** Makes the query ready to run. Only ANALYZE fetches the data that the query reads. */
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
  switch (part) {
    case 'analyze': {
      const analyzed = await analyze(query);
      return sections(analyzedText(analyzed, query), tableLines(used(query, analyzed.executable)), query, {
        results: analyzed.reuse === undefined ? [] : [reuseLine(analyzed.reuse)],
        parts: query.parts.map(partLine),
      });
    }
    case 'physical':
      return sections(await physicalText(query), tableLines(query.tables), query);
    case 'logical':
      return sections(outlineText(await logicalOf(query)), tableLines(query.tables), query);
    case 'statistics':
      return sections(outlineText(await logicalOf(query)), tableStatistics(query.tables), query);
  }
}

/** The stages if it runs on several nodes, otherwise the operators on one. */
async function physicalText(query: ExplainableQuery): Promise<string> {
  const { distribution, names, change } = query;
  if (distribution?.plan !== undefined) {
    const head = change === undefined ? '' : `${outlineText({ ...change, inputs: [] }).trimEnd()}\n\n`;
    return head + renamed(planText(distribution.plan), names);
  }
  return onOneNode(query) + outlineText(await physicalOf(query));
}

/** The reason why a query of large tables does not run on several nodes. */
const onOneNode = ({ distribution }: ExplainableQuery): string =>
  distribution !== undefined && 'reason' in distribution ? `On one node: ${distribution.reason}\n\n` : '';

async function jsonOf(part: Part, query: ExplainableQuery): Promise<string> {
  switch (part) {
    case 'physical':
      return JSON.stringify(await physicalMember(query), roundedTime);
    case 'analyze':
      return JSON.stringify((await analyze(query)).member, roundedTime);
    default:
      return JSON.stringify({
        plan: await logicalOf(query),
        tables: [
          ...tableMembers(query.tables, { statistics: part === 'statistics' }),
          ...fileMembers(query.files),
        ],
        aggregating_indexes: indexMembers(query.indexes),
        regular_expressions: patternMembers(query.patterns),
      });
  }
}

/** Times in milliseconds are measured in microseconds. */
const roundedTime = (name: string, value: unknown): unknown =>
  typeof value === 'number' && name.endsWith('_ms') ? Math.round(value * 1000) / 1000 : value;

async function physicalMember(query: ExplainableQuery): Promise<ExplainedQuery> {
  const { distribution, names, tables, files } = query;
  const plan = distribution?.plan;
  return {
    analyzed: false,
    nodes: nodesMember(distribution),
    stages:
      plan === undefined
        ? [onlyStage(operatorMember(await physicalOf(query), names))]
        : withRoot(
            plan.stages.map((stage) => stageMember(stage, names)),
            query.change,
          ),
    tables: [...tableMembers(tables), ...fileMembers(files)],
    aggregating_indexes: indexMembers(query.indexes),
    regular_expressions: patternMembers(query.patterns),
    warnings: warningsOf(plan?.unboundedGathers),
  };
}

/** The stages with the change above the operators of the last one. */
function withRoot(
  stages: readonly ExplainedStage[],
  change: ChangeOperator | undefined,
): readonly ExplainedStage[] {
  const root = stages.at(-1);
  if (change === undefined || root === undefined) return stages;
  return [...stages.slice(0, -1), { ...root, operators: { ...change, inputs: [root.operators] } }];
}

const warningsOf = (gathers: readonly string[] = []): readonly string[] =>
  gathers.map((reason) => `gathers an input of unbounded size: ${reason}`);

/** The stage of a query that runs on one node. */
const onlyStage = (operators: ExplainedOperator): ExplainedStage => ({
  stage: 0,
  partitioning: 'coordinator',
  inputs: [],
  hash_keys: [],
  estimated_rows: operators.estimated_rows,
  operators,
});

/** A query that was executed, with what it took. */
interface AnalyzedQuery {
  readonly executable: ExecutableQuery;
  readonly member: ExplainedQuery;
  readonly reuse: ExplainedReuse | undefined;
}

async function analyze(query: ExplainableQuery): Promise<AnalyzedQuery> {
  const { names, distribution } = query;
  const startedAtMs = performance.now();
  const executable = await query.run();
  const { session, sql, params, executed } = executable;
  const json = await kernelExplain(session, `EXPLAIN (ANALYZE, FORMAT json) ${sql}`, params);
  const elapsedMs = performance.now() - startedAtMs;
  const profile = profileOutline(json, {
    rename: (text) => renamed(text, names),
    sourceOf: (text) => sourceOf(text, query.tables, executable),
  });
  const last = operatorMember(profile?.operators ?? (await physicalOf(query)), names);
  const plan = executed?.plan;
  const root = plan?.stages.at(-1);
  const stages = (executed?.profiles ?? []).flatMap((one) => {
    const stage = plan!.stages.find(({ id }) => id === one.stage);
    return stage === undefined ? [] : [executedStageMember(stage, one, names)];
  });
  const planned = root === undefined ? onlyStage(last) : stageMember(root, names);
  const operators =
    root === undefined
      ? withRowsScanned(last, executable.tables)
      : plannedDetails(last, planned.operators, planned.inputs);
  const reuse = query.reuse(executable.scanned.rows);
  const member: ExplainedQuery = {
    analyzed: true,
    nodes: nodesMember(executed === undefined ? withoutPlan(distribution) : distribution),
    elapsed_ms: elapsedMs,
    stages: [
      ...inOrder(stages),
      { ...planned, operators, ...(profile === undefined ? { elapsed_ms: elapsedMs } : figuresOf(profile)) },
    ],
    tables: [...tableMembers(used(query, executable)), ...fileMembers(query.files)],
    aggregating_indexes: indexMembers(query.indexes),
    regular_expressions: patternMembers(query.patterns),
    result_cache: reuse && reuseMember(reuse),
    parts: query.parts.map(partMember),
    warnings: warningsOf(plan?.unboundedGathers),
  };
  return { executable, member, reuse };
}

/** The order of execution: refined plans may number their stages differently. */
const inOrder = (stages: readonly ExplainedStage[]): readonly ExplainedStage[] =>
  stages.toSorted((a, b) => (b.inputs.includes(a.stage) ? -1 : a.inputs.includes(b.stage) ? 1 : 0));

/** The plan that was not used in the end. */
const withoutPlan = (distribution: ExplainableQuery['distribution']): ExplainableQuery['distribution'] =>
  distribution?.plan === undefined ? distribution : undefined;

/** The figures of the stage on the node that answers. */
const figuresOf = ({
  operators,
  elapsedMs,
  cpuMs,
  peakMemoryBytes,
  spilledBytes,
}: ProfileOutline): Partial<ExplainedStage> => ({
  tasks: 1,
  attempts: 1,
  elapsed_ms: elapsedMs,
  cpu_ms: cpuMs,
  rows: operators.rows,
  bytes: operators.bytes,
  peak_memory_bytes: peakMemoryBytes,
  bytes_spilled: spilledBytes,
});

/** The user's table or file that a relation of the kernel or the path of a file means. */
function sourceOf(
  text: string,
  tables: readonly ExplainedTable[],
  executable: Pick<ExecutableQuery, 'files' | 'tables'>,
): { readonly table: string } | { readonly file: string } | undefined {
  const file = executable.files.find(({ path }) => text.includes(path));
  if (file !== undefined) return { file: file.label };
  const relation = /^[\w.]+\.(\w{20,})$/.exec(text)?.[1];
  const resident = executable.tables.find(
    ({ source }) => relation !== undefined && source?.includes(relation),
  );
  const stored = tables.find(({ tablets }) => tablets.some(({ tablet }) => text.includes(tablet.id)));
  const found = resident ?? stored?.access;
  return found === undefined ? undefined : { table: found.table.name };
}

/** The number of nodes, and the estimates in CPU milliseconds that the choice was based on. */
function nodesMember(distribution: ExplainableQuery['distribution']): ExplainedNodes {
  const choice = distribution?.plan === undefined ? distribution?.choice : distribution.plan.choice;
  const reason = distribution !== undefined && 'reason' in distribution ? distribution.reason : undefined;
  if (choice === undefined) return { chosen: 1, available: 1, reason };
  const cost = ({ cpuMs, elapsedMs }: PlanCost) => ({ cpu_ms: cpuMs, elapsed_ms: elapsedMs });
  return {
    chosen: distribution?.plan === undefined ? 1 : choice.available,
    available: choice.available,
    reason,
    on_one_node: cost(choice.oneNode),
    on_all_nodes: cost(choice.allNodes),
  };
}

/** The stages that ran, each with its measurements, its nodes and its operators. */
function analyzedText({ executable, member }: AnalyzedQuery, query: ExplainableQuery): string {
  const { executed } = executable;
  const choice = executed?.plan.choice;
  const took = new Map((executed === undefined ? [] : executed.profiles).map((one) => [one.stage, one]));
  const stages = member.stages.map((stage) => {
    const { stage: id, partitioning, nodes = [] } = stage;
    const profile = took.get(id);
    const head =
      profile === undefined
        ? `${executed === undefined ? 'on one node' : `root, stage ${id}`}: ${rootText(stage)}`
        : profileText({ plan: executed!.plan, profiles: [profile] })[0]!;
    const lines = [
      `${head}${profile === undefined ? '' : `; ${partitioning}`}`,
      ...nodes.map(
        (one) =>
          `  ${one.node}: ${one.rows.toLocaleString('en-US')} rows, ${byteText(one.bytes)}, cpu ${one.cpu_ms.toFixed(0)} ms, time ${one.elapsed_ms.toFixed(1)} ms, peak memory ${byteText(one.peak_memory_bytes)}`,
      ),
      ...outlineText(outlineOf(stage.operators), '    ').split('\n'),
    ];
    return lines.join('\n');
  });
  return [
    ...(choice === undefined ? [] : [choiceText(choice)]),
    ...(executed === undefined && onOneNode(query) !== '' ? [onOneNode(query).trimEnd()] : []),
    ...stages,
    ...member.warnings.map((warning) => `warning: ${warning}`),
  ].join('\n\n');
}

const rootText = ({ cpu_ms = 0, elapsed_ms = 0, peak_memory_bytes = 0, bytes_spilled = 0 }: ExplainedStage) =>
  [
    `cpu ${cpu_ms.toFixed(1)} ms`,
    `time ${elapsed_ms.toFixed(1)} ms`,
    `peak memory ${byteText(peak_memory_bytes)}`,
    ...(bytes_spilled > 0 ? [`${byteText(bytes_spilled)} spilled`] : []),
  ].join(', ');

const outlineOf = (operator: ExplainedOperator): PlanOutline => ({
  ...operator,
  estimatedRows: operator.estimated_rows,
  timeMs: operator.time_ms,
  rowsScanned: operator.rows_scanned,
  nodes: operator.nodes?.map(({ time_ms, ...one }) => ({ ...one, timeMs: time_ms })),
  inputs: operator.inputs.map(outlineOf),
});

function sections(
  plan: string,
  tables: readonly string[],
  { indexes, files, patterns }: ExplainableQuery,
  reuse: { readonly results: readonly string[]; readonly parts: readonly string[] } = {
    results: [],
    parts: [],
  },
): string {
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? '' : `\n${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
  const all = `${section('Tables', [...tables, ...fileLines(files)])}${section('Aggregating indexes', indexes.map(indexLine))}${section('Regular expressions', patterns.map(patternLine))}${section('Result cache', reuse.results)}${section('Parts of the query', reuse.parts)}`;
  return all === '' ? plan : `${plan.trimEnd()}\n${all}`;
}

const indexLine = ({ index, table, rows, reason }: IndexUse): string => {
  if (reason !== undefined) return `${index} on ${table}: not used, because ${reason}`;
  const rest = rows.rest === 0 ? '' : ` and ${rows.rest} rows of tablets without any`;
  return `${index} on ${table}: ${rows.partial} partial rows${rest} are read instead of ${rows.table} rows`;
};

const patternLine = ({ table, column, patterns }: CompiledPatterns): string =>
  `${table.name}.${column}: ${patterns} patterns are compiled once each, others for every row`;

const patternMembers = (patterns: readonly CompiledPatterns[]): ExplainedQuery['regular_expressions'] =>
  patterns.map(({ table, column, patterns: compiled }) => ({ table: table.name, column, compiled }));

const indexMembers = (indexes: readonly IndexUse[]): ExplainedQuery['aggregating_indexes'] =>
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

const logicalOf = ({ prepared, planner, names, change }: ExplainableQuery): Promise<PlanOutline> =>
  outlined(change, async () => {
    const plan = await planner.scalar(PLAN_SQL, [prepared.boundSql ?? prepared.sql]);
    return logicalOutline(String(plan), (bound) => names.get(bound) ?? bound);
  });

const physicalOf = ({ prepared, planner, names, change }: ExplainableQuery): Promise<PlanOutline> =>
  outlined(change, async () => {
    const sql = prepared.boundSql ?? prepared.sql;
    const json = await kernelExplain(planner, `EXPLAIN (FORMAT json) ${sql}`);
    const plan = String(await planner.scalar(PLAN_SQL, [sql]));
    return physicalOutline(json, plan, (text) => renamed(text, names));
  });

/** The outline of a query, below the change of its rows. */
async function outlined(
  change: ChangeOperator | undefined,
  outline: () => Promise<PlanOutline>,
): Promise<PlanOutline> {
  const query = await orUnavailable(outline);
  return change === undefined ? query : { ...change, inputs: [query] };
}

/**
 * Undefined if there is no outline: for scans of files, and for some plans of optimisers that only run in the
 * query's own kernel.
 */
async function orUnavailable(outline: () => Promise<PlanOutline>): Promise<PlanOutline> {
  try {
    return await outline();
  } catch (error) {
    const plan = `not available from the kernel: ${(error as Error).message}`;
    return { operator: 'Query', details: { plan }, inputs: [] };
  }
}

async function kernelExplain(
  session: KernelSession,
  sql: string,
  params: ExecutableQuery['params'] = [],
): Promise<string> {
  const result = await session.query(sql, params);
  let plan = '';
  for await (const batch of result.batches) plan += Buffer.from(batch.textColumn(1)).toString('utf8');
  return plan;
}
