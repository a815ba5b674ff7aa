/**
 * Runs files of the sqllogictest format and reports failures:
 *   node packages/engine/test/sqllogic/run.ts [--nodes 3
 * --duckdb] [--setting name=value]… [--as name]… [--sqlite]
 *     [--loose] [--report failures.jsonl] [--complete] files or directories
 * `--as` also includes records marked `onlyif name`; `--sqlite` renders values as SQLite's runner does;
 * `--loose` is for files of other projects: column types are not compared, numbers may differ by 1 %, rows
 * may be in any order (NULLs sort by settings that we do not have), and unknown settings are ignored.
 * `--complete` writes results into the files for queries that expect none yet.
 */
import { appendFileSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EngineCluster } from '../cluster/engine-cluster.ts';
import { completed } from './completed.ts';
import type { Database } from './database.ts';
import { HttpDatabase } from './http-database.ts';
import { PlainDuckDb } from './plain-duckdb.ts';
import { type Failure, runFile } from './run-file.ts';

const OTHERS_SETTINGS = /^(pragma|set|reset|load|install|analyze|checkpoint|call|explain)\b/i;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    nodes: { type: 'string', default: '1' },
    duckdb: { type: 'boolean', default: false },
    setting: { type: 'string', multiple: true, default: [] },
    as: { type: 'string', multiple: true, default: [] },
    sqlite: { type: 'boolean', default: false },
    loose: { type: 'boolean', default: false },
    report: { type: 'string' },
    complete: { type: 'boolean', default: false },
  },
});

await using stack = new AsyncDisposableStack();
const database = await open();
for (const name of values.as) (database.names as Set<string>).add(name);
const options = {
  tolerance: values.loose ? 0.01 : 1e-9,
  checkTypes: !values.loose,
  asSqlite: values.sqlite,
  anyOrder: values.loose,
  ...(values.loose ? { mayFail: OTHERS_SETTINGS } : {}),
};

const totals = { files: 0, clean: 0, passed: 0, skipped: 0, failed: 0 };
for (const path of (await Promise.all(positionals.map(filesBelow))).flat()) {
  if (values.complete) await writeFile(path, await completed(await readFile(path, 'utf8'), database));
  const report = await runFile(await readFile(path, 'utf8'), database, options).catch((error: Error) => ({
    passed: 0,
    skipped: 0,
    failures: [brokenFile(error)],
  }));
  totals.files++;
  totals.passed += report.passed;
  totals.skipped += report.skipped;
  totals.failed += report.failures.length;
  if (report.failures.length === 0) totals.clean++;
  for (const failure of report.failures) tell(path, failure);
}
process.stdout.write(`${JSON.stringify(totals)}\n`);
process.exitCode = totals.failed === 0 ? 0 : 1;

async function open(): Promise<Database> {
  if (values.duckdb) return new PlainDuckDb();
  const cluster = stack.use(await EngineCluster.start({ nodes: Number(values.nodes) }));
  const settings = Object.fromEntries(values.setting.map((one) => one.split('=') as [string, string]));
  return new HttpDatabase(
    cluster.places.map((_, n) => cluster.node(n)),
    settings,
  );
}

async function filesBelow(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const all = await readdir(path, { recursive: true });
  return all
    .filter((file) => /\.(slt|test)$/.test(file))
    .sort()
    .map((file) => join(path, file));
}

function brokenFile(error: Error): Failure {
  return { line: 0, sql: '', kind: 'unsupported', why: error.message, followsFailure: false };
}

function tell(path: string, failure: Failure): void {
  if (values.report !== undefined) {
    appendFileSync(values.report, `${JSON.stringify({ path, ...failure })}\n`);
    return;
  }
  const { line, kind, why, sql } = failure;
  process.stdout.write(`${path}:${line} ${kind}: ${why}\n  ${sql.replaceAll('\n', '\n  ')}\n\n`);
}
