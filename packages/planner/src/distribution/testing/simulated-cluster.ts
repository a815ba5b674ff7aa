import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { kernelBootstrap } from '@tessera/sql';
import type { Conjunct } from '@tessera/tablet';
import type {
  DistributedPlan,
  FinishedStage,
  ScanSource,
  Stage,
  StageId,
  StageSource,
  TableFacts,
} from '../../distributed-plan.ts';
import { HASH_BUCKETS } from '../../distributed-plan.ts';
import { mirrorBootstrap } from '../../mirror-bootstrap.ts';
import { PLAN_SQL } from '../../serialized-plan.ts';
import { refine } from '../distribute.ts';
import { planDistributed } from '../plan-distributed.ts';
import type { PlanFacts } from '../plan-facts.ts';

export interface SimulatedOptions {
  readonly nodes: number;
  readonly broadcastLimitBytes?: number;
  readonly wholeTableBytes?: number;
  readonly gatherLimitRows?: number;
  readonly joinKeyFilters?: 'always';
  readonly refines?: boolean;
  /** Statistics to use instead of the real ones. */
  readonly tables?: ReadonlyMap<string, TableFacts>;
}

/** Optimisers that the kernel which runs tasks has disabled. */
const KERNEL_OPTIMIZERS = kernelBootstrap
  .find((statement) => statement.includes('disabled_optimizers'))!
  .replace('SET GLOBAL', 'SET');

/** Macros that stages call. */
const AVERAGE = /MACRO tsr_(?:average|little_endian)/;

type TableKey = NonNullable<TableFacts['key']>;
/** The tables that are divided by ranges of a key. */
export type TableKeys = ReadonlyMap<string, TableKey>;

export interface Answer {
  readonly types: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/**
 * Runs distributed plans in one kernel. Every table is divided into random shards, one per virtual node; tasks
 * are SQL over temporary tables, and the output of a stage is read by buckets as the exchange does. Scans
 * drop every row that their conditions allow them to drop.
 */
export class SimulatedCluster {
  private readonly connection: DuckDBConnection;
  /** Ends when the last call of `serialized` has restored the optimisers of the kernel. */
  private optimizersRestored: Promise<unknown> = Promise.resolve();
  private readonly facts = new Map<string, TableFacts>();
  /** SQL of the node that has a value of a column, by domain. */
  private readonly nodeOfValue = new Map<string, (column: string) => string>();

  private constructor(connection: DuckDBConnection) {
    this.connection = connection;
  }

  static async open(): Promise<SimulatedCluster> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const connection = await instance.connect();
    for (const statement of mirrorBootstrap.filter((s) => s.startsWith('CREATE SCHEMA')))
      await connection.run(statement);
    await connection.run("SET search_path = 'managed'; SET TimeZone = 'UTC'");
    await connection.run(KERNEL_OPTIMIZERS);
    for (const macro of kernelBootstrap.filter((statement) => AVERAGE.test(statement)))
      await connection.run(macro);
    return new SimulatedCluster(connection);
  }

  async run(sql: string): Promise<void> {
    await this.connection.run(sql);
  }

  /**
   * Divides all existing tables into shards for this many nodes; tables with a key are divided by its ranges.
   */
  async shard(
    nodes: number,
    isDimension: (table: string) => boolean = () => false,
    keys: TableKeys = new Map(),
  ): Promise<void> {
    const tables = (
      await this.rows("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'managed'")
    ).map(([name]) => String(name));
    for (const table of tables) {
      const [[count] = [0]] = await this.rows(`SELECT count(*) FROM managed."${table}"`);
      const rows = Number(count);
      const columns = await this.rows(
        `SELECT column_name FROM duckdb_columns() WHERE schema_name = 'managed' AND table_name = '${table}'`,
      );
      const names = columns.map(([name]) => String(name));
      const distinct = await this.rows(
        `SELECT ${names.map((name) => `count(DISTINCT "${name}")`).join(', ')} FROM managed."${table}"`,
      );
      const key = keys.get(table);
      const node =
        key === undefined
          ? `hash(row_number() OVER ()) % ${nodes}`
          : (await this.nodeOfKey(keys, key, nodes))(key.column);
      await this.connection.run(
        `CREATE OR REPLACE TEMP TABLE "placed_${table}" AS SELECT *, (${node})::INTEGER AS "$node" FROM managed."${table}"`,
      );
      for (let node = 0; node < nodes; node++)
        await this.connection.run(
          `CREATE OR REPLACE TEMP TABLE "shard_${table}_${node}" AS SELECT * EXCLUDE "$node" FROM "placed_${table}" WHERE "$node" = ${node}`,
        );
      await this.connection.run(`DROP TABLE "placed_${table}"`);
      this.facts.set(table, {
        rows,
        bytes: rows * names.length * 8,
        isDimension: isDimension(table),
        distinct: new Map(names.map((name, i) => [name, Number(distinct[0]?.[i] ?? 1)])),
        tablets: rows === 0 ? 0 : nodes,
        key,
      });
    }
  }

  /**
   * The node of a key: ranges of the keys of all tables of the domain are assigned to nodes, and NULL to the
   * node of the first range.
   */
  private async nodeOfKey(
    keys: TableKeys,
    { domain }: TableKey,
    nodes: number,
  ): Promise<(column: string) => string> {
    const all = [...keys].filter(([, key]) => key.domain === domain);
    const values = all
      .map(([table, key]) => `SELECT "${key.column}" AS k FROM managed."${table}"`)
      .join(' UNION ');
    const splits = await this.rows(
      `SELECT k::VARCHAR FROM (SELECT DISTINCT k FROM (${values})) WHERE hash(k::VARCHAR) % 5 = 0 AND k IS NOT NULL ORDER BY k LIMIT 40`,
    );
    const nodeOf = (range: number) => (range * 7 + 3) % nodes;
    const sqlOf = (column: string): string => {
      const below = splits.map(
        ([split], range) =>
          `WHEN "${column}" < '${String(split).replaceAll("'", "''")}' THEN ${nodeOf(range)}`,
      );
      return `CASE WHEN "${column}" IS NULL THEN ${nodeOf(0)} ${below.join(' ')} ELSE ${nodeOf(splits.length)} END`;
    };
    this.nodeOfValue.set(domain, sqlOf);
    return sqlOf;
  }

  planFacts({
    nodes,
    broadcastLimitBytes,
    wholeTableBytes,
    gatherLimitRows,
    joinKeyFilters,
    tables,
  }: SimulatedOptions): PlanFacts {
    return {
      tables: tables ?? this.facts,
      cluster: {
        nodes,
        broadcastLimitBytes: broadcastLimitBytes ?? 64 * 2 ** 20,
        wholeTableBytes: wholeTableBytes ?? 0,
        nodeMemoryBytes: 2 ** 33,
        gatherLimitRows: gatherLimitRows ?? 1_000_000,
        joinKeyFilters,
      },
    };
  }

  async plan(sql: string, options: SimulatedOptions): Promise<DistributedPlan> {
    return planDistributed(await this.serialized(sql), this.planFacts(options));
  }

  /** Concurrent calls run one after another, because the disabled optimisers belong to the kernel. */
  async serialized(sql: string): Promise<string> {
    const result = this.optimizersRestored.then(() => this.serializedAlone(sql));
    this.optimizersRestored = result.catch(() => undefined);
    return result;
  }

  private async serializedAlone(sql: string): Promise<string> {
    const disabled = mirrorBootstrap.find((statement) => statement.includes('disabled_optimizers'))!;
    await this.connection.run(disabled.replace('SET GLOBAL', 'SET'));
    try {
      const reader = await this.connection.runAndReadAll(PLAN_SQL, [sql]);
      return String(reader.getRowsJson()[0]?.[0]);
    } finally {
      await this.connection.run(KERNEL_OPTIMIZERS);
    }
  }

  /** The result of the query over all data, computed by the kernel. */
  async plain(sql: string): Promise<Answer> {
    const reader = await this.connection.runAndReadAll(sql);
    return { types: reader.columnTypes().map(String), rows: reader.getRowsJson() };
  }

  /** The result of the query, computed in stages. */
  async distributed(sql: string, options: SimulatedOptions): Promise<Answer> {
    return this.execute(await this.plan(sql, options), options);
  }

  async execute(first: DistributedPlan, options: SimulatedOptions): Promise<Answer> {
    let plan = first;
    const finished = new Map<StageId, FinishedStage>();
    const outputs = new Map<StageId, readonly string[]>();
    try {
      for (;;) {
        const next = plan.stages.find(
          (stage) => !finished.has(stage.id) && neededStages(stage).every((id) => finished.has(id)),
        );
        if (next === undefined) throw new Error('No stage can run');
        if (next === plan.stages.at(-1)) {
          const useless = unreadStages(plan, finished);
          if (useless.length > MOST_UNREAD * finished.size)
            throw new Error(`Nothing reads stages ${useless.join(', ')}, which have run`);
          return await this.root(next, outputs);
        }
        if (finished.size > MOST_STAGES * first.stages.length)
          throw new Error(`${finished.size} stages have run of a plan of ${first.stages.length}`);
        const tables = await this.stage(next, plan, outputs, options);
        outputs.set(next.id, tables);
        finished.set(next.id, await this.size(tables, next));
        if (options.refines !== false)
          plan = refine(plan, finished, new Set(finished.keys()), this.planFacts(options));
      }
    } finally {
      const drops = [...outputs.values()].flat().map((table) => `DROP TABLE "${table}"`);
      if (drops.length > 0) await this.connection.run(drops.join('; '));
    }
  }

  private async root(stage: Stage, outputs: ReadonlyMap<StageId, readonly string[]>): Promise<Answer> {
    return this.plain(this.taskSql(stage, outputs, { node: 0, range: [0, HASH_BUCKETS - 1] }));
  }

  private async stage(
    stage: Stage,
    plan: DistributedPlan,
    outputs: ReadonlyMap<StageId, readonly string[]>,
    options: SimulatedOptions,
  ): Promise<readonly string[]> {
    const tasks = tasksOf(stage, outputs, options);
    const tables: string[] = [];
    for (const [i, task] of tasks.entries()) {
      const table = `out_${stage.id}_${i}`;
      const { hashKeys, columns } = stage.output;
      const bucket =
        hashKeys.length === 0
          ? ''
          : `, (hash(${hashKeys.map((key) => `"${columns[key]?.name}"`).join(', ')}) >> 54)::USMALLINT AS "$bucket"`;
      const sql = this.taskSql(stage, outputs, task);
      try {
        await this.connection.run(
          `CREATE OR REPLACE TEMP TABLE "${table}" AS SELECT *${bucket} FROM (${sql})`,
        );
      } catch (error) {
        throw new Error(`Stage ${stage.id} of ${plan.stages.length}: ${String(error)}\n${sql}`);
      }
      tables.push(table);
    }
    await this.checkColumns(tables, stage);
    return tables;
  }

  /** Checks that the tables of all tasks have the names and types of the columns that the plan promises. */
  private async checkColumns(tables: readonly string[], { id, output: { columns } }: Stage): Promise<void> {
    const made = await this.connection.runAndReadAll(
      `FROM ${tables.map((t) => `"${t}"`).join(', ')} LIMIT 0`,
    );
    const types = made.columnTypes().map(String);
    const expected = columns.map(({ name, type }) => `${name} ${type}`);
    if (expected.join().includes('"NULL"')) return;
    const given = made
      .columnNames()
      .flatMap((name, i) => (name === '$bucket' ? [] : [`${name} ${types[i]}`]))
      .join();
    const wanted = tables.flatMap(() => expected).join();
    if (wanted.replace(/[ "]/g, '') !== given.replace(/[ "]/g, ''))
      throw new Error(`The tasks of stage ${id} give ${given} in place of ${wanted}`);
  }

  private taskSql(
    stage: Stage,
    outputs: ReadonlyMap<StageId, readonly string[]>,
    task: SimulatedTask,
  ): string {
    const relations = stage.sources.map((source) => this.sourceSql(source, outputs, task));
    return stage.sql.map((part) => (typeof part === 'number' ? relations[part] : part)).join('');
  }

  private sourceSql(
    source: StageSource,
    outputs: ReadonlyMap<StageId, readonly string[]>,
    task: SimulatedTask,
  ): string {
    if (source.kind === 'scan') return this.scanSql(source, outputs, task.node);
    if (source.kind === 'session') return source.sql;
    const tables = outputs.get(source.stage) ?? [];
    const read = source.mode === 'forward' ? [tables[task.node]!] : tables;
    const [from, to] = task.range;
    const where = source.mode === 'hash' ? ` WHERE "$bucket" BETWEEN ${from} AND ${to}` : '';
    return `(${read.map((table) => `SELECT * FROM "${table}"${where}`).join(' UNION ALL ')})`;
  }

  private scanSql(scan: ScanSource, outputs: ReadonlyMap<StageId, readonly string[]>, node: number): string {
    const table =
      scan.partitioning === 'replicated' ? `managed."${scan.relation}"` : `"shard_${scan.relation}_${node}"`;
    const columns =
      scan.columns.length === 0 ? 'NULL AS nothing' : scan.columns.map((name) => `"${name}"`).join(', ');
    const kept = [
      ...scan.filters.map(conjunctSql),
      ...scan.dynamicFilters.map(({ column, stage, key, filtersRows }) => {
        const tables = outputs.get(stage);
        if (tables === undefined) throw new Error(`A filter of stage ${stage}, which has not run`);
        const keys = tables.map((output) => `SELECT c${key} FROM "${output}"`).join(' UNION ALL ');
        // A filter lets some rows pass whose keys it does not contain.
        return `("${column}" IN (${keys})${filtersRows ? ` OR hash("${column}") % 20 = 0` : ''})`;
      }),
    ];
    const { withinKeys } = scan;
    if (withinKeys !== undefined) {
      const nodeOf = this.nodeOfValue.get(withinKeys.domain)!;
      kept.push(`("${withinKeys.column}" IS NOT NULL AND ${nodeOf(withinKeys.column)} = ${node})`);
    }
    return `(SELECT ${columns} FROM ${table}${kept.length === 0 ? '' : ` WHERE ${kept.join(' AND ')}`})`;
  }

  private async size(tables: readonly string[], stage: Stage): Promise<FinishedStage> {
    const counts = tables.map((table) => `(SELECT count(*) FROM "${table}")`);
    const rows = Number((await this.rows(`SELECT ${counts.join(' + ')}`))[0]?.[0]);
    return { rows, bytes: rows * stage.output.columns.length * 8 };
  }

  private async rows(sql: string): Promise<readonly (readonly unknown[])[]> {
    return (await this.connection.runAndReadAll(sql)).getRowsJson();
  }

  close(): void {
    this.connection.closeSync();
  }
}

interface SimulatedTask {
  readonly node: number;
  readonly range: readonly [from: number, to: number];
}

/** A refined plan may have at most this many times the stages of the first plan. */
const MOST_STAGES = 3;
/**
 * The largest fraction of the stages that have run which the root need not depend on: the actual size of one side of a join may
 * change the strategy after the other side has been exchanged.
 */
const MOST_UNREAD = 0.25;

/** Stages that have run although the root does not depend on them. */
function unreadStages(plan: DistributedPlan, finished: ReadonlyMap<StageId, unknown>): readonly StageId[] {
  const needed = new Set<StageId>();
  for (const stage of [...plan.stages].reverse())
    if (needed.has(stage.id) || stage === plan.stages.at(-1))
      for (const id of neededStages(stage)) needed.add(id);
  return [...finished.keys()].filter((id) => !needed.has(id));
}

const neededStages = (stage: Stage): readonly StageId[] => [
  ...stage.after,
  ...stage.sources.flatMap((source) => (source.kind === 'exchange' ? [source.stage] : [])),
];

function tasksOf(
  stage: Stage,
  outputs: ReadonlyMap<StageId, readonly string[]>,
  { nodes }: SimulatedOptions,
): readonly SimulatedTask[] {
  const all: readonly [number, number] = [0, HASH_BUCKETS - 1];
  switch (stage.partitioning) {
    case 'source': {
      const forward = stage.sources.find((source) => source.kind === 'exchange' && source.mode === 'forward');
      const count = forward?.kind === 'exchange' ? (outputs.get(forward.stage)?.length ?? nodes) : nodes;
      return Array.from({ length: count }, (_, node) => ({ node, range: all }));
    }
    case 'hash': {
      const size = Math.ceil(HASH_BUCKETS / (nodes + 1));
      return Array.from({ length: nodes + 1 }, (_, i) => ({
        node: i,
        range: [i * size, Math.min(HASH_BUCKETS, (i + 1) * size) - 1] as const,
      }));
    }
    default:
      return [{ node: 0, range: all }];
  }
}

function conjunctSql(conjunct: Conjunct): string {
  switch (conjunct.kind) {
    case 'compare':
      return `"${conjunct.column}" ${conjunct.operator} '${conjunct.value.replaceAll("'", "''")}'`;
    case 'in':
      return conjunct.values.length === 0
        ? 'false'
        : `"${conjunct.column}" IN (${conjunct.values.map((value) => `'${value.replaceAll("'", "''")}'`).join(', ')})`;
    case 'null':
      return `"${conjunct.column}" IS ${conjunct.isNull ? '' : 'NOT '}NULL`;
    case 'or':
      return `(${conjunct.branches.map((branch) => `(${branch.map(conjunctSql).join(' AND ')})`).join(' OR ')})`;
  }
}
