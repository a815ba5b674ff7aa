/**
 * Measures planning before a query can run, for each TPC-DS (or TPC-H) query, by phase: the kernel's parser,
 * binder and optimiser, parsing their results, and planning over nodes.
 *   node packages/coordinator/bench/planning-bench.ts [--benchmark tpcds] [--nodes 4] [--runs 3] [--query 14]
 *   [--json file]
 * The tables are empty but claim the sizes of scale 0.1 times `--scale`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ReadAuthority } from '@tessera/access-control';
import type { Tablet, TabletId } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import { quoteText, startKernel, typeToSql } from '@tessera/kernel';
import { PLAN_SQL, planDistributed, tableScans, UnsupportedPlan } from '@tessera/planner';
import { prepareQuery } from '@tessera/sql';
import { tpcds, tpch } from '@tessera/workloads';
import { PlanCache } from '../src/binder/plan-cache.ts';
import { planQuery } from '../src/distribution/distributed-plans.ts';
import type { StatementContext } from '../src/queries/statement-context.ts';
import type { BoundQuery } from '../src/read/bound-query.ts';
import { ColumnStatisticsCache } from '../src/read/column-statistics-cache.ts';
import { MirrorTables } from '../src/read/mirror-tables.ts';
import { StatementRelations } from '../src/read/statement-relations.ts';
import { tableFacts } from '../src/read/table-facts.ts';
import { TableFixture } from '../src/testing/table-fixture.ts';
import { PhaseTimes, timed } from './timed-session.ts';

const SCALE_FACTOR = 0.1;

const { values } = parseArgs({
  options: {
    benchmark: { type: 'string', default: 'tpcds' },
    nodes: { type: 'string', default: '4' },
    runs: { type: 'string', default: '3' },
    scale: { type: 'string', default: '1000' },
    query: { type: 'string' },
    json: { type: 'string' },
  },
});
const workload = [tpcds, tpch].find(({ name }) => name === values.benchmark);
if (workload === undefined) throw new Error(`--benchmark: tpcds or tpch, not ${values.benchmark}`);

const fixture = await TableFixture.open();
await makeTables();
const statistics = new ColumnStatisticsCache(100 << 20);
/** Nodes with the memory that the first plans assume. */
const nodes = Array.from({ length: Number(values.nodes) }, () => ({ memoryLimitBytes: 2 ** 35 }));
const scope = { nodes, statistics, storesResult: false, keys: new Map() };
const mirror = new MirrorTables(fixture.mirror);
const queries = workload.queries.filter(
  ({ name }) => values.query === undefined || name.includes(values.query),
);

/**
 * The time in milliseconds from a text that was planned before to its stages, including the session that it
 * will run in.
 */
const repeats: number[] = [];
const found: { query: string; times: PhaseTimes; planLength: number; note: string }[] = [];
for (const { name, sql } of queries) {
  const runs: Omit<(typeof found)[number], 'query'>[] = [];
  for (let run = 0; run < Number(values.runs); run++) runs.push(await plan(sql));
  runs.sort((a, b) => a.times.total - b.times.total);
  found.push({ query: name, ...runs[Math.floor(runs.length / 2)]! });
}
print();
await fixture[Symbol.asyncDispose]();
// The kernel that plans is shared by all fixtures of a process, and ends with it.
process.exit();

async function plan(sql: string): Promise<{ times: PhaseTimes; planLength: number; note: string }> {
  const times = new PhaseTimes();
  const session = await fixture.kernel.session({ timeZone: 'UTC' });
  const context = fixture.context(sql);
  await using relations = new StatementRelations({
    mirror,
    timeZone: 'UTC',
    signal: context.query.signal,
    snapshot: context.snapshot,
    authority: new ReadAuthority(fixture.authorizer, 'ada'),
    database: 'tessera',
    firstWithPositions: false,
    usesIndexes: false,
    plannedScan: () => {
      throw new Error('The benchmark reads no files');
    },
    systemRelation: async () => undefined,
  });
  const binder = timed(await relations.binder(), times);
  relations.binder = async () => binder;
  const start = performance.now();
  const prepared = await prepareQuery(sql, {
    session: timed(session, times),
    settings: context.request.settings,
    parameters: [],
    sessionValues: context.sessionValues,
    resolveRead: () => Promise.reject(new Error('A file')),
    relations,
  });
  times.add('sql: rewrites, trees', performance.now() - start - times.total);
  const serialized = String(await binder.scalar(PLAN_SQL, [prepared.boundSql ?? '']));
  await times.during('scans', () => tableScans(serialized));
  const tables = new Map(
    [...relations.tables].map(([name, { table }]) => [name, tableFacts(fixture.snapshot, table, statistics)]),
  );
  const cluster = {
    nodes: Number(values.nodes),
    broadcastLimitBytes: 64 * 1024 * 1024,
    wholeTableBytes: 2 ** 30,
    nodeMemoryBytes: 2 ** 35,
    gatherLimitRows: 1_000_000,
  };
  let note = '';
  await times.during('stages', async () => {
    try {
      const { stages, unboundedGathers } = await planDistributed(serialized, { tables, cluster });
      note = `${stages.length} stages${unboundedGathers.length === 0 ? '' : `; gathers ${unboundedGathers.join(', ')}`}`;
    } catch (error) {
      if (!(error instanceof UnsupportedPlan) && !(error instanceof TesseraError)) throw error;
      note = error.message;
    }
  });
  const bound: BoundQuery = {
    prepared,
    named: relations.named,
    tables: relations.tables,
    scans: new Map(),
    serializedPlan: serialized,
    isPlanned: true,
    files: new Map(),
    indexes: [],
    patterns: [],
    looksAtAllNamed: false,
    uses: 0,
  };
  repeats.push(await repeated(context, bound));
  await session.close();
  return { times, planLength: serialized.length, note };
}

async function repeated(context: StatementContext, bound: BoundQuery): Promise<number> {
  const cache = new PlanCache();
  const query = { context, options: {}, relations: { snapshot: async () => fixture.snapshot } };
  const again = async () => {
    const session = await fixture.kernel.session({ timeZone: 'UTC' });
    const known = await cache.get(query);
    await planQuery(known!, { ...scope, snapshot: fixture.snapshot, settings: context.request.settings });
    await session.close();
  };
  cache.add(query, bound);
  await again();
  const start = performance.now();
  await again();
  return performance.now() - start;
}

async function makeTables(): Promise<void> {
  const silent = () => undefined;
  const data = join(fixture.directory, 'data');
  mkdirSync(data);
  await workload!.generate({ scale: SCALE_FACTOR, directory: data });
  const reader = await startKernel({
    directory: join(fixture.directory, 'reader'),
    readableDirectories: [data],
    memoryLimitBytes: 1e9,
    threads: 1,
    bootstrap: [],
    log: { info: silent, warn: silent, error: silent },
  });
  const session = await reader.session();
  for (const { name } of workload!.tables) {
    const path = join(data, `${name}.parquet`);
    const { columns } = await session.describe(`FROM read_parquet(${quoteText(path)})`);
    const rows = Number(await session.scalar(`SELECT count(*) FROM read_parquet(${quoteText(path)})`));
    const nulls = columns.map(({ name, type }) => `CAST(NULL AS ${typeToSql(type)}) AS "${name}"`);
    const table = await fixture.table(name, `SELECT ${nulls.join(', ')} LIMIT 0`);
    const scaled = Math.round(rows * (rows > 20_000 ? Number(values.scale) : 1));
    fixture.change({ kind: 'add_tablet', tablet: tabletOf(table.id, scaled) });
  }
  await reader.close();
}

function tabletOf(tableId: Tablet['tableId'], rows: number): Tablet {
  return {
    id: tableId as unknown as TabletId,
    tableId,
    schemaVersion: 0,
    layout: 'wide',
    key: 'none',
    rows,
    bytes: rows * 40,
    uncompressedBytes: rows * 100,
    granules: 1,
    headerOffset: 0,
    footerOffset: 0,
    tailCrc32c: 0,
    partition: [],
    statistics: [],
    createdAt: new Date(0).toISOString(),
  };
}

function print(): void {
  const phases = [...new Set(found.flatMap(({ times }) => [...times.ms.keys()]))];
  const line = (name: string, times: PhaseTimes, rest = '') =>
    `${name.padEnd(8)}${times.total.toFixed(1).padStart(8)}${phases
      .map((phase) => (times.ms.get(phase) ?? 0).toFixed(1).padStart(Math.max(8, phase.length + 2)))
      .join('')}  ${rest}\n`;
  process.stdout.write(
    `${'query'.padEnd(8)}${'total'.padStart(8)}${phases.map((p) => p.padStart(Math.max(8, p.length + 2))).join('')}  plan\n`,
  );
  for (const { query, times, planLength, note } of found)
    process.stdout.write(line(query, times, `${Math.round(planLength / 1024)} KB; ${note}`));
  const medians = new PhaseTimes();
  for (const phase of phases) medians.add(phase, median(found.map(({ times }) => times.ms.get(phase) ?? 0)));
  process.stdout.write(line('median', medians));
  const total = median(found.map(({ times }) => times.total));
  process.stdout.write(
    `median of the totals ${total.toFixed(1)} ms; of a repeated statement ${median(repeats).toFixed(2)} ms\n`,
  );
  if (values.json !== undefined)
    writeFileSync(
      values.json,
      JSON.stringify(
        { median: total, repeated: median(repeats), phases: Object.fromEntries(medians.ms) },
        undefined,
        2,
      ),
    );
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
