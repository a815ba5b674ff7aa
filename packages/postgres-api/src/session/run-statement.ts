import { TesseraError } from '@tessera/common';
import type { Statement } from '@tessera/sql';
import type { SessionCommand } from '../commands/session-command.ts';
import { changes, commandTag } from '../statements/command-tag.ts';
import { EngineRows } from '../statements/engine-rows.ts';
import { inWholeText, type ParsedStatement } from '../statements/parsed-statement.ts';
import type { Outcome, StatementRun } from './outcome.ts';
import { runCommand } from './run-command.ts';
import type { SessionState } from './session-state.ts';
import { readsOnly } from './transaction-control.ts';

/**
 * Starts a statement.
 * @throws TesseraError if it is invalid, with a place in the text that the client sent
 */
export async function runStatement(
  state: SessionState,
  parsed: ParsedStatement,
  run: StatementRun,
): Promise<Outcome> {
  try {
    checkTransaction(state, parsed);
    const { work } = parsed;
    return work.by === 'session'
      ? await runCommand(state, work.command, { ...run, text: parsed.text })
      : await runInEngine(state, parsed.text, work.statement, run);
  } catch (error) {
    throw inWholeText(error, parsed.whole, parsed);
  }
}

const ENDS: ReadonlySet<SessionCommand['kind']> = new Set([
  'commit',
  'rollback',
  'rollback_to_savepoint',
  'prepare_transaction',
]);

/**
 * @throws TesseraError TRANSACTION_ABORTED for any statement in a failed transaction, except those that end
 * it or roll back to a savepoint
 */
export function checkTransaction({ transaction }: SessionState, parsed: ParsedStatement | undefined): void {
  if (!transaction.failed) return;
  const { work } = parsed ?? {};
  if (work?.by === 'session' && ENDS.has(work.command.kind)) return;
  throw TesseraError.of('TRANSACTION_ABORTED', {});
}

/** Statements that commit on their own, regardless of the statements around them. */
const ALONE: ReadonlySet<Statement['kind']> = new Set([
  'vacuum',
  'create_database',
  'alter_database',
  'call',
]);

/** Refused in a transaction that only reads by the engine, which knows which tables are temporary. */
const OF_ROWS: ReadonlySet<Statement['kind']> = new Set(['insert', 'update', 'delete', 'merge', 'copy_from']);

async function runInEngine(
  state: SessionState,
  text: string,
  statement: Statement,
  { parameters, formats, moreMayFollow }: StatementRun,
): Promise<Outcome> {
  const { transaction, engine } = state;
  transaction.use();
  if (changes(statement)) {
    if (readsOnly(state) && !OF_ROWS.has(statement.kind)) {
      const what = commandTag(statement, 0).replace(/[ 0]+$/, '');
      throw TesseraError.of('READ_ONLY_TRANSACTION', { what });
    }
    if (moreMayFollow && !ALONE.has(statement.kind)) await transaction.beginImplicit();
  }
  const sql = await state.locks.run({ text, statement, database: state.database ?? '' }, parameters, (work) =>
    engine.wait(work),
  );
  const outcome = await engine.start({ sql, parameters, encoding: { kind: 'postgres', formats } });
  if (outcome.kind === 'rows') {
    const rows = new EngineRows(outcome.result, formats, outcome.hooks);
    const { affectedRows } = outcome.result;
    return { kind: 'rows', rows, tag: (count) => commandTag(statement, affectedRows ?? count) };
  }
  const { session } = outcome;
  if (session?.name === 'database') state.database = session.kind === 'set' ? session.value : undefined;
  return { kind: 'done', tag: commandTag(statement, outcome.affectedRows) };
}
