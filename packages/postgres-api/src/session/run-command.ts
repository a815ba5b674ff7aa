import { fail } from '@tessera/common';
import type { SessionCommand } from '../commands/session-command.ts';
import { fractionalZone } from '../parameters/offset-zone.ts';
import { SHOW_ALL_COLUMNS } from '../parameters/session-parameters.ts';
import { notification, warning } from '../protocol/report.ts';
import { TextRows } from '../statements/text-rows.ts';
import { copyIn } from './copy/copy-in.ts';
import { copyOut } from './copy/copy-out.ts';
import { closeCursor, declareCursor, fetchRows } from './cursors.ts';
import type { CommandRun, Outcome, StatementRun } from './outcome.ts';
import type { SessionState } from './session-state.ts';
import { deallocate, executePrepared, prepareBySql } from './sql-prepare.ts';
import {
  beginTransaction,
  commitTransaction,
  readsOnly,
  rollbackToSavepoint,
  rollbackTransaction,
  setSavepoint,
  setTransaction,
} from './transaction-control.ts';

const done = (tag: string): Outcome => ({ kind: 'done', tag });

/** Runs a session command. @throws TesseraError if it fails */
export async function runCommand(
  state: SessionState,
  command: SessionCommand,
  run: CommandRun,
): Promise<Outcome> {
  const { parameters, transaction } = state;
  switch (command.kind) {
    case 'begin':
      await beginTransaction(state, command.readOnly);
      return done(command.tag);
    case 'commit':
      return done(await commitTransaction(state));
    case 'rollback':
      return done(await rollbackTransaction(state));
    case 'savepoint':
      await setSavepoint(state, command.name);
      return done('SAVEPOINT');
    case 'release_savepoint':
      await transaction.releaseSavepoint(command.name);
      return done('RELEASE');
    case 'rollback_to_savepoint':
      await rollbackToSavepoint(state, command.name);
      return done('ROLLBACK');
    case 'prepare_transaction': {
      // The transaction ends even if COMMIT fails, as in PostgreSQL; clients send no ROLLBACK after it.
      const { failed } = transaction;
      const tag = await rollbackTransaction(state);
      return failed ? done(tag) : fail('NOT_SUPPORTED', { what: 'PREPARE TRANSACTION' });
    }
    case 'set_transaction':
      setTransaction(state, command.readOnly);
      return done('SET');
    case 'set':
      if (command.local) warnOfLocal(state);
      change(parameters, command);
      notifyOfValue(state, command);
      return done('SET');
    case 'reset':
      if (command.name === undefined) parameters.resetAll();
      else parameters.reset(command.name);
      return done('RESET');
    case 'show':
      return { kind: 'rows', rows: shownRows(state, command.name, run), tag: () => 'SHOW' };
    case 'set_config': {
      change(parameters, command);
      const value = parameters.isSet(command.name) ? parameters.show(command.name) : '';
      const rows = new TextRows(['set_config'], [[value]], run.formats);
      return { kind: 'rows', rows, tag: (count) => `SELECT ${count}` };
    }
    case 'current_setting': {
      const { name, column, missingOk } = command;
      const value = parameters.isSet(name) ? parameters.show(name) : null;
      if (value === null && !missingOk) fail('UNKNOWN_SETTING', { name });
      const rows = new TextRows([column], [[value]], run.formats);
      return { kind: 'rows', rows, tag: (count) => `SELECT ${count}` };
    }
    case 'discard':
      await discard(state, command.what);
      return done(`DISCARD ${command.what}`);
    case 'prepare':
      return done(await prepareBySql(state, command, run));
    case 'execute':
      return executePrepared(state, command, run);
    case 'deallocate':
      return done(deallocate(state, command.name));
    case 'declare':
      return done(await declareCursor(state, command, run));
    case 'fetch':
      return fetchRows(state, command, run);
    case 'close':
      return done(await closeCursor(state, command.name));
    case 'lock':
      return done('LOCK TABLE');
    case 'set_constraints':
      return done('SET CONSTRAINTS');
    case 'unlisten':
      return done('UNLISTEN');
    case 'copy_in':
      return copyIn(state, command, run);
    case 'copy_out':
      return copyOut(state, command, run);
  }
}

/** Sets a parameter, or resets it if the command has no value. */
function change(
  parameters: SessionState['parameters'],
  command: Extract<SessionCommand, { kind: 'set' | 'set_config' }>,
): void {
  if (command.value === undefined) parameters.reset(command.name, command);
  else parameters.set(command.name, command.value, command);
}

function warnOfLocal(state: SessionState): void {
  if (state.transaction.isExplicit) return;
  state.notify(warning('25P01', 'SET LOCAL can only be used in transaction blocks'));
}

/** Tells the client that a zone stands for the offset that it gave. */
function notifyOfValue(
  state: SessionState,
  { name, value = '' }: { readonly name: string; readonly value: string | undefined },
): void {
  const zone = name.toLowerCase() === 'timezone' ? fractionalZone(value) : undefined;
  if (zone !== undefined) {
    const message = `The time zone ${zone.name} is used for ${value}. It has had this offset since ${zone.since}`;
    state.notify(notification(message, 'Earlier points in time are shown with the offset of that place.'));
  }
}

function shownRows(state: SessionState, name: string | undefined, run: StatementRun) {
  const { parameters } = state;
  if (name === undefined) return new TextRows(SHOW_ALL_COLUMNS, parameters.all(), run.formats);
  const value = name === 'transaction_read_only' ? (readsOnly(state) ? 'on' : 'off') : parameters.show(name);
  return new TextRows([name], [[value]], run.formats);
}

async function discard(state: SessionState, what: 'ALL' | 'PLANS' | 'TEMP' | 'SEQUENCES'): Promise<void> {
  if (what === 'SEQUENCES' || what === 'ALL') state.drawn.clear();
  if (what === 'TEMP') await dropTemporaryTables(state);
  if (what !== 'ALL') return;
  if (state.transaction.isExplicit) {
    fail('ACTIVE_TRANSACTION', { message: 'DISCARD ALL cannot run inside a transaction block' });
  }
  await state.portals.closeAll();
  state.statements.clear();
  await dropTemporaryTables(state);
  state.parameters.resetAll();
  state.locks.releaseSession();
}

async function dropTemporaryTables({ temporary, engine }: SessionState): Promise<void> {
  if (!temporary.isUsed) return;
  const sql = 'DROP SCHEMA IF EXISTS pg_temp CASCADE';
  await engine.start({ sql, parameters: [], encoding: { kind: 'arrow' } });
}
