/**
 * Measures what tablets cost in comparison with a plain sorted Parquet file of the kernel, and what a single
 * row costs.
 *   node packages/tablet/bench/write-bench.ts --source lineitem.parquet [--copies 10] [--rounds 3]
 *   [--directory DIR]
 * The source is TPC-H's lineitem; every copy gets order keys of its own.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ObjectId, TableObject } from '@tessera/catalog';
import { type KernelSession, quoteText, startKernel, typeToSql } from '@tessera/kernel';
import { type WriteOptions, writeTablets } from '../src/index.ts';

const MIB = 1024 * 1024;
const { values } = parseArgs({
  options: {
    source: { type: 'string' },
    copies: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    directory: { type: 'string', default: join(tmpdir(), 'tessera-tablet-bench') },
    partitions: { type: 'boolean', default: false },
  },
});
const directory = values.directory;
const files = join(directory, 'files');
rmSync(directory, { recursive: true, force: true });
mkdirSync(files, { recursive: true });
const print = (line: string) => process.stdout.write(`${line}\n`);
const log = { info: () => undefined, warn: print, error: print };
const kernel = await startKernel({
  directory: join(directory, 'kernel'),
  readableDirectories: [files, ...(values.source === undefined ? [] : [join(values.source, '..')])],
  memoryLimitBytes: 4e9,
  threads: 0,
  bootstrap: [],
  log: log as never,
});
try {
  const session = await kernel.session();
  if (values.source !== undefined) await compare(session, values.source);
  await singleRows(session);
} finally {
  await kernel.close();
  rmSync(directory, { recursive: true, force: true });
}

async function compare(session: KernelSession, source: string): Promise<void> {
  const whole = join(files, 'source.parquet');
  await session.execute(
    `COPY (SELECT * REPLACE (l_orderkey + 600000 * copy AS l_orderkey) FROM read_parquet(${quoteText(source)}), range(${Number(values.copies)}) AS c(copy) ` +
      `ORDER BY hash(l_orderkey, l_linenumber)) TO ${quoteText(whole)} (FORMAT parquet, COMPRESSION zstd)`,
  );
  const sql = `SELECT * FROM read_parquet(${quoteText(whole)})`;
  const { columns } = await session.describe(sql);
  const table = tableOf(
    columns.map(({ name, type }) => [name, typeToSql(type)]),
    ['l_orderkey', 'l_linenumber'],
  );
  const plain = join(files, 'plain.parquet');
  for (let round = 0; round < Number(values.rounds); round++) {
    const plainMs = await timed(async () => {
      await session.execute(
        `COPY (${sql} ORDER BY l_orderkey, l_linenumber) TO ${quoteText(plain)} (FORMAT parquet, COMPRESSION zstd)`,
      );
    });
    rmSync(plain);
    const tablets = await written(session, table, sql);
    const parts = values.partitions
      ? await written(session, { ...table, partitionBy: ['month'] }, sql, ["date_trunc('month', l_shipdate)"])
      : undefined;
    print(
      `plain ${plainMs.toFixed(0)} ms, tablets ${tablets.ms.toFixed(0)} ms (${(tablets.ms / plainMs).toFixed(2)}x), ` +
        `${tablets.count} of ${(tablets.bytes / MIB).toFixed(0)} MiB in all` +
        (parts === undefined ? '' : `; ${parts.count} partitions ${parts.ms.toFixed(0)} ms`),
    );
  }
}

async function singleRows(session: KernelSession): Promise<void> {
  const table = tableOf(
    [
      ['id', 'BIGINT'],
      ['name', 'VARCHAR'],
      ['price', 'DECIMAL(18,2)'],
      ['at', 'TIMESTAMPTZ'],
    ],
    ['id'],
  );
  const times: number[] = [];
  for (let i = 0; i < 200; i++) {
    const sql = `SELECT ${i}::BIGINT AS id, 'name' AS name, 1.25::DECIMAL(18,2) AS price, now() AS at`;
    times.push((await written(session, table, sql)).ms);
  }
  times.sort((a, b) => a - b);
  print(`one row: p50 ${times[100]!.toFixed(2)} ms, p90 ${times[180]!.toFixed(2)} ms`);
}

async function written(session: KernelSession, table: TableObject, sql: string, partitionSql: string[] = []) {
  const staging = join(files, 'staging');
  mkdirSync(staging);
  const options: WriteOptions = {
    session,
    table,
    sql,
    partitionSql,
    directory: staging,
    minBytes: 128 * MIB,
    maxBytes: 256 * MIB,
    header: { formatVersion: 3, compression: 'brotli', compressionLevel: 2, minBytesForWide: 100 * MIB },
    signal: new AbortController().signal,
  };
  let [count, bytes] = [0, 0];
  const ms = await timed(async () => {
    for await (const { tablet } of writeTablets(options)) {
      count++;
      bytes += tablet.bytes;
    }
  });
  rmSync(staging, { recursive: true });
  return { ms, count, bytes };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function tableOf(columns: readonly (readonly [string, string])[], key: readonly string[]): TableObject {
  const now = new Date(0).toISOString();
  return {
    kind: 'table',
    id: 'bench' as ObjectId,
    schemaId: 'bench' as ObjectId,
    name: 'bench',
    owner: 'bench',
    createdAt: now,
    alteredAt: now,
    tableType: 'FACT',
    columns: columns.map(([name, type], i) => ({
      id: i + 1,
      name,
      storedName: name,
      type,
      nullable: true,
      since: 1,
    })),
    primaryIndex: key.map((name) => columns.findIndex(([column]) => column === name) + 1),
    partitionBy: [],
    indexGranularity: 122_880,
    schemaVersion: 1,
    nextColumnId: columns.length + 1,
    indexes: [],
  };
}
