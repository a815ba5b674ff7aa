import { createHash, createHmac, randomBytes } from 'node:crypto';
import { type QueryId, TesseraError, type TransactionId } from '@tessera/common';
import {
  classifyStatement,
  type Statement,
  type StatementText,
  splitInTurns,
  splitWithBackslashes,
  withoutPasswords,
} from '@tessera/sql';
import { type Settings, withSettings } from './settings.ts';
import type { StatementRequest } from './statement-request.ts';

/**
 * The idempotency key under which a statement of a request commits, forever: the same request with the same
 * query id is not executed again, while another statement with the same id has another key.
 * @param position the position of the statement in the request, from 0
 */
export function idempotencyKeyOf(
  queryId: QueryId,
  position: number,
  text: string,
  {
    user,
    database,
    parameters,
    transactionId,
  }: Pick<StatementRequest, 'user' | 'database' | 'parameters' | 'transactionId'>,
): string {
  const values = parameters.map(({ name, value }) => [name, typeof value, String(value)]);
  const said = JSON.stringify([position, user, text, database ?? null, values, transactionId ?? null]);
  return `${queryId}#${hashFor(text).update(said).digest('base64url').slice(0, 16)}`;
}

const PASSWORD_KEY = randomBytes(32);

/**
 * Hashes the text of a statement. The key stays in the log forever, and a plain hash of a statement with a
 * password would reveal whether a guess is right. So the hash of such a statement is only reproducible within
 * the same process.
 */
const hashFor = (text: string) =>
  withoutPasswords(text) === text ? createHash('sha256') : createHmac('sha256', PASSWORD_KEY);

/** The statements of a request, in order; at least one. */
export interface RequestStatements {
  readonly texts: readonly StatementText[];
  /** For each BEGIN whose transaction the same request commits: its position and that of the COMMIT. */
  readonly committedBlocks: ReadonlyMap<number, number>;
  /**
   * The positions of SET, RESET and USE, which take effect until the request ends, even if other statements
   * are skipped.
   */
  readonly sessionStatements: ReadonlySet<number>;
}

const SESSION_KINDS: ReadonlySet<Statement['kind']> = new Set(['set', 'reset', 'use_database', 'use_engine']);

/**
 * Splits a request into its statements. They are all checked before the first one runs: an answer can carry
 * one change of the client's session, so a request that would need two is refused.
 * @throws TesseraError SYNTAX_ERROR, INVALID_ARGUMENT
 */
export async function requestStatements(request: StatementRequest): Promise<RequestStatements> {
  const texts = await splitRequest(request);
  if (texts.length === 1) return { texts, committedBlocks: new Map(), sessionStatements: new Set() };
  const kinds = texts.map(({ text }) => classifyStatement(text).kind);
  const last = texts.at(-1)!.text;
  if (SESSION_KINDS.has(kinds.at(-1)!) && endsInAnotherTransaction(kinds, request.transactionId)) {
    const message = `A response can return only one change of the session, but this request changes which transaction is open and ends with ${firstWord(last)}`;
    const resolution = `Send ${firstWord(last)} in a request of its own.`;
    throw TesseraError.of('INVALID_ARGUMENT', { message }, { resolution });
  }
  if (request.settings.multi_query_results === 'all') refuseForAllResults(kinds, request);
  const sessionStatements = new Set(kinds.flatMap((kind, i) => (SESSION_KINDS.has(kind) ? [i] : [])));
  return { texts, committedBlocks: committedBlocks(kinds), sessionStatements };
}

/** With multi_query_results=all, the headers are sent before the last statement has run. */
function refuseForAllResults(kinds: readonly Statement['kind'][], request: StatementRequest): void {
  const asked = 'A request with multi_query_results=all';
  if (request.encoding.kind === 'parquet') {
    const message = `${asked} cannot be answered in Parquet: a Parquet file holds one result`;
    throw TesseraError.of('INVALID_ARGUMENT', { message }, { resolution: 'Choose another output_format.' });
  }
  if (endsInAnotherTransaction(kinds, request.transactionId)) {
    const message = `${asked} opens a transaction without ending it, or ends one that was open before: its response cannot report the change to the client`;
    const resolution =
      'Begin and end the transaction in the request, or send it with multi_query_results=last.';
    throw TesseraError.of('INVALID_ARGUMENT', { message }, { resolution });
  }
}

/**
 * Refuses session changes in an asynchronous request, whose answer cannot carry them.
 * @throws TesseraError SYNTAX_ERROR; INVALID_ARGUMENT for a request that opens or ends a transaction, or
 * changes the session
 */
export async function refuseUnheardChanges(request: StatementRequest): Promise<void> {
  const kinds = (await splitRequest(request)).map(({ text }) => classifyStatement(text).kind);
  const what = endsInAnotherTransaction(kinds, request.transactionId)
    ? 'opens a transaction without ending it, or ends one that was open before'
    : SESSION_KINDS.has(kinds.at(-1)!)
      ? 'ends with a change of session settings'
      : undefined;
  if (what === undefined) return;
  const message = `A request with async=true ${what}: its response cannot report the change to the client`;
  throw TesseraError.of('INVALID_ARGUMENT', { message }, { resolution: 'Send it without async=true.' });
}

const MAX_SUFFIX = 1_000;
/** `WITH (…)` at the end of a text, if it says what a backslash in a string means. */
const OWN_STRINGS = /\bWITH\s*\([^()]*\bstandard_conforming_strings\s*=\s*'?(\w+)'?[^()]*\)[\s;]*$/i;

/**
 * The statements of a text, whose strings are read as the settings say, or the text itself at its end. @throws TesseraError see
 * `splitStatements`
 */
export async function statementTexts(sql: string, settings: Settings): Promise<readonly StatementText[]> {
  const own = OWN_STRINGS.exec(sql.slice(-MAX_SUFFIX))?.[1];
  const { standard_conforming_strings } =
    own === undefined ? settings : withSettings(settings, [['standard_conforming_strings', own]]);
  return standard_conforming_strings ? splitInTurns(sql) : splitWithBackslashes(sql);
}

async function splitRequest({ sql, settings }: StatementRequest): Promise<readonly StatementText[]> {
  const statements = await statementTexts(sql, settings);
  if (statements.length === 0)
    throw TesseraError.of('SYNTAX_ERROR', { message: 'The request contains no statement' });
  if (statements.length > 1 && !settings.enable_multi_query_requests) {
    const message = `The request contains ${statements.length} statements: send one, or set enable_multi_query_requests=true`;
    throw TesseraError.of('SYNTAX_ERROR', { message });
  }
  return statements;
}

/**
 * The text of the only statement of a request. @throws TesseraError SYNTAX_ERROR for a request with none or
 * several
 */
export async function onlyStatement({ sql, settings }: StatementRequest, message: string): Promise<string> {
  const [statement, ...more] = await statementTexts(sql, settings);
  if (statement !== undefined && more.length === 0) return statement.text;
  throw TesseraError.of('SYNTAX_ERROR', { message });
}

/**
 * Whether the client's transaction after the request differs from the one before, if all statements succeed.
 */
function endsInAnotherTransaction(
  kinds: readonly Statement['kind'][],
  transactionId: TransactionId | undefined,
): boolean {
  const before = transactionId === undefined ? 'none' : 'given';
  let now: 'none' | 'given' | 'begun' = before;
  for (const kind of kinds) {
    if (kind === 'begin') now = 'begun';
    else if (kind === 'commit' || kind === 'rollback') now = 'none';
  }
  return now !== before;
}

function committedBlocks(kinds: readonly Statement['kind'][]): ReadonlyMap<number, number> {
  const blocks = new Map<number, number>();
  let begin: number | undefined;
  for (const [i, kind] of kinds.entries()) {
    if (kind === 'begin') begin = i;
    else if (kind === 'commit' || kind === 'rollback') {
      if (kind === 'commit' && begin !== undefined) blocks.set(begin, i);
      begin = undefined;
    }
  }
  return blocks;
}

const firstWord = (text: string): string => /^\w+/.exec(text)?.[0].toUpperCase() ?? text;
