import type { Database } from './database.ts';
import { type Condition, parseRecords, type QueryRecord, type StatementRecord } from './records.ts';
import { type CheckOptions, differenceOf, linesOf } from './result-check.ts';
import { unrolled } from './unrolled.ts';

export interface Failure {
  readonly line: number;
  readonly sql: string;
  readonly kind: 'error' | 'no-error' | 'wrong-error' | 'wrong-result' | 'unsupported';
  readonly why: string;
  /** Whether an earlier statement that should have changed something failed. */
  readonly followsFailure: boolean;
}

export interface FileReport {
  readonly passed: number;
  readonly skipped: number;
  readonly failures: readonly Failure[];
}

export interface RunOptions extends CheckOptions {
  /** Matches statements that need not succeed, such as settings of another engine or plans in its format. */
  readonly mayFail?: RegExp;
}

/** Runs a file on a database of its own. */
export async function runFile(text: string, database: Database, options: RunOptions): Promise<FileReport> {
  await database.fresh();
  const failures: Failure[] = [];
  const ofLabel = new Map<string, string>();
  let passed = 0;
  let skipped = 0;
  let isSkipping = false;
  let hasFailed = false;
  for (const step of unrolled(parseRecords(text))) {
    if (step.kind === 'mode') {
      isSkipping = step.mode === 'skip' || (isSkipping && step.mode !== 'unskip');
      continue;
    }
    if (isSkipping) {
      skipped++;
      continue;
    }
    if (step.kind === 'unsupported') {
      const failure = {
        line: step.line,
        sql: step.directive,
        kind: 'unsupported',
        why: 'directive',
      } as const;
      failures.push({ ...failure, followsFailure: hasFailed });
      break;
    }
    if (!isMeant(step.conditions, database.names)) {
      if (step.kind !== 'halt') skipped++;
      continue;
    }
    if (step.kind === 'halt') break;
    const failure = await (step.kind === 'statement'
      ? failureOfStatement(step, database)
      : failureOfQuery(step, database, options, ofLabel));
    if (failure === undefined) {
      passed++;
    } else if (options.mayFail?.test(step.sql.trim())) {
      skipped++;
    } else {
      failures.push({ line: step.line, sql: step.sql, ...failure, followsFailure: hasFailed });
      if (step.kind === 'statement' && step.expect === 'ok') hasFailed = true;
    }
  }
  return { passed, skipped, failures };
}

const isMeant = (conditions: readonly Condition[], names: ReadonlySet<string>): boolean =>
  conditions.every(({ kind, name }) => names.has(name) === (kind === 'onlyif'));

type Found = Pick<Failure, 'kind' | 'why'> | undefined;

async function failureOfStatement(
  { sql, connection, expect, message }: StatementRecord,
  database: Database,
): Promise<Found> {
  try {
    await database.run(sql, connection);
  } catch (error) {
    const said = (error as Error).message;
    if (expect === 'ok') return { kind: 'error', why: said };
    return message && !says(said, message)
      ? { kind: 'wrong-error', why: `${said}\n  for ${message}` }
      : undefined;
  }
  return expect === 'error'
    ? { kind: 'no-error', why: `it succeeds, for ${message ?? 'an error'}` }
    : undefined;
}

const says = (said: string, wanted: string): boolean =>
  wanted.startsWith('<REGEX>:')
    ? new RegExp(wanted.slice(8), 's').test(said)
    : said.toLowerCase().includes(wanted.toLowerCase());

async function failureOfQuery(
  record: QueryRecord,
  database: Database,
  options: CheckOptions,
  ofLabel: Map<string, string>,
): Promise<Found> {
  try {
    const result = await database.run(record.sql, record.connection);
    const why =
      differenceOf(result, record, options) ?? differenceOfLabel(linesOf(result, record), record, ofLabel);
    return why === undefined ? undefined : { kind: 'wrong-result', why };
  } catch (error) {
    return { kind: 'error', why: (error as Error).message };
  }
}

function differenceOfLabel(
  lines: readonly string[],
  { label }: QueryRecord,
  ofLabel: Map<string, string>,
): string | undefined {
  if (label === undefined) return undefined;
  const text = lines.join('\n');
  const before = ofLabel.get(label);
  if (before === undefined) ofLabel.set(label, text);
  return before === undefined || before === text ? undefined : `not the result of the others of ${label}`;
}
