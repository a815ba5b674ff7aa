import { fail, TesseraError } from '@tessera/common';
import type { OutputColumn, ValueFormat } from '@tessera/sql';
import type { SessionCommand } from '../commands/session-command.ts';
import { isQuery } from '../statements/command-tag.ts';
import { parseStatement } from '../statements/parsed-statement.ts';
import type { MessageSink, RowSource, SentRows } from '../statements/row-source.ts';
import { describePrepared } from './describe-prepared.ts';
import type { CommandRun, Outcome, StatementRun } from './outcome.ts';
import type { Portal } from './portal.ts';
import { preparedStatement } from './prepared-statement.ts';
import type { SessionState } from './session-state.ts';
import { startElsewhere } from './start-elsewhere.ts';

/** The next rows of a cursor, which stays open after them. */
class LimitedRows implements RowSource {
  readonly #cursor: RowSource;
  #left: number;

  constructor(cursor: RowSource, rows: number) {
    this.#cursor = cursor;
    this.#left = rows;
  }

  get columns(): readonly OutputColumn[] {
    return this.#cursor.columns;
  }

  get formats(): readonly ValueFormat[] {
    return this.#cursor.formats;
  }

  async send(sink: MessageSink, limit: number): Promise<SentRows> {
    const { rows, ended } = await this.#cursor.send(sink, Math.min(limit, this.#left));
    this.#left -= rows;
    return { rows, ended: ended || this.#left === 0 };
  }

  async close(): Promise<void> {
    this.#left = 0;
  }
}

type Command<K extends SessionCommand['kind']> = Extract<SessionCommand, { kind: K }>;

/**
 * DECLARE: validates the query. It runs at the first FETCH, or at once if the cursor may outlive the
 * transaction whose tables it reads. Returns the command tag.
 */
export async function declareCursor(
  state: SessionState,
  { name, holds, query }: Command<'declare'>,
  { parameters, text }: CommandRun,
): Promise<string> {
  if (!holds && !state.transaction.isExplicit) {
    fail('NO_TRANSACTION', { message: 'DECLARE CURSOR can only be used in transaction blocks' });
  }
  const parsed = parseStatement(text, { text: query.sql, offset: query.offset });
  if (parsed.work.by !== 'engine' || !isQuery(parsed.work.statement)) {
    fail('SYNTAX_ERROR', { message: 'DECLARE CURSOR takes a query' });
  }
  const statement = preparedStatement(parsed);
  await describePrepared(state, statement);
  const portal: Portal = {
    name,
    statement,
    parameters,
    formats: undefined,
    outcome: undefined,
    ended: false,
    ...(holds ? { held: { transactionId: state.transaction.id } } : {}),
  };
  await state.portals.add(portal);
  if (holds) await openHeld(state, portal);
  return 'DECLARE CURSOR';
}

async function openHeld(state: SessionState, portal: Portal): Promise<void> {
  try {
    await openCursor(state, portal, []);
  } catch (error) {
    await state.portals.close(portal.name);
    throw error;
  }
}

/** FETCH returns rows; MOVE skips them. */
export async function fetchRows(
  state: SessionState,
  { name, rows, moves }: Command<'fetch'>,
  { formats }: StatementRun,
): Promise<Outcome> {
  const portal = state.portals.get(name);
  const cursor = await openCursor(state, portal, moves ? undefined : formats);
  if (!moves) return { kind: 'rows', rows: new LimitedRows(cursor, rows), tag: (count) => `FETCH ${count}` };
  return {
    kind: 'dialogue',
    run: async () => `MOVE ${(await cursor.send(NOWHERE, rows)).rows}`,
  };
}

const NOWHERE: MessageSink = { write: () => undefined, isFull: false, flush: async () => undefined };

async function openCursor(
  state: SessionState,
  portal: Portal,
  formats: readonly ValueFormat[] | undefined,
): Promise<RowSource> {
  portal.formats ??= formats ?? [];
  if (formats !== undefined && !sameFormats(formats, portal.formats)) {
    throw TesseraError.of('NOT_SUPPORTED', { what: 'FETCH in another format than the one before' });
  }
  const { parsed } = portal.statement;
  if (parsed === undefined) throw TesseraError.of('UNDEFINED_CURSOR', { name: portal.name });
  portal.outcome ??= await startElsewhere(state, parsed, {
    parameters: portal.parameters,
    formats: portal.formats,
    moreMayFollow: true,
  });
  if (portal.outcome.kind === 'rows') return portal.outcome.rows;
  return fail('WRONG_OBJECT_TYPE', { message: `Portal "${portal.name}" gives no rows` });
}

function sameFormats(a: readonly ValueFormat[], b: readonly ValueFormat[]): boolean {
  const [one, other] = [uniform(a), uniform(b)];
  return one === undefined || other === undefined ? a.join() === b.join() : one === other;
}

/** The format that all columns have, if there is one. */
function uniform(formats: readonly ValueFormat[]): ValueFormat | undefined {
  const [first = 'text'] = formats;
  return formats.every((format) => format === first) ? first : undefined;
}

export async function closeCursor({ portals }: SessionState, name: string | undefined): Promise<string> {
  if (name === undefined) {
    await portals.closeAll();
    return 'CLOSE CURSOR ALL';
  }
  portals.get(name);
  await portals.close(name);
  return 'CLOSE CURSOR';
}
