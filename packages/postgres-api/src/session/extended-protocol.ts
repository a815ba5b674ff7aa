import { TesseraError } from '@tessera/common';
import { statementTexts } from '@tessera/coordinator';
import { isReturning, type OutputColumn } from '@tessera/sql';
import {
  BIND_COMPLETE,
  CLOSE_COMPLETE,
  commandComplete,
  EMPTY_QUERY,
  NO_DATA,
  PARSE_COMPLETE,
  PORTAL_SUSPENDED,
  parameterDescription,
  rowDescription,
} from '../protocol/backend-message.ts';
import type { BindMessage, FrontendMessage } from '../protocol/frontend-message.ts';
import { CHANGED_RESULT } from '../protocol/report.ts';
import { isQuery } from '../statements/command-tag.ts';
import { type ParsedStatement, parseStatement } from '../statements/parsed-statement.ts';
import { rowFields } from '../values/row-description.ts';
import { wireType } from '../values/type-oids.ts';
import { boundParameters } from './bound-parameters.ts';
import { describePrepared } from './describe-prepared.ts';
import type { Outcome } from './outcome.ts';
import type { Portal } from './portal.ts';
import { type PreparedStatement, preparedStatement } from './prepared-statement.ts';
import { checkTransaction } from './run-statement.ts';
import type { SessionState } from './session-state.ts';

type Message<K extends FrontendMessage['kind']> = Extract<FrontendMessage, { kind: K }>;

const SYNC = 'S'.charCodeAt(0);

/** Answers Parse, Bind, Describe, Execute and Close. */
export class ExtendedProtocol {
  readonly #state: SessionState;
  /** After an error, messages are ignored until the client sends Sync. */
  isSkipping = false;

  constructor(state: SessionState) {
    this.#state = state;
  }

  /** @throws TesseraError if the message or its statement is invalid */
  async handle(message: FrontendMessage): Promise<void> {
    switch (message.kind) {
      case 'parse':
        return this.#parse(message);
      case 'bind':
        return this.#bind(message);
      case 'describe':
        return message.what === 'statement'
          ? this.#describeStatement(message.name)
          : this.#describePortal(message.name);
      case 'execute':
        return this.#execute(message);
      case 'close':
        return this.#close(message);
      default:
        throw new Error(`A message of kind ${message.kind} is none of the extended protocol`);
    }
  }

  /** The text that contains the statement of a message, if the message refers to one. */
  textOf(message: FrontendMessage | undefined): string | undefined {
    const { portals, statements } = this.#state;
    try {
      if (message?.kind === 'execute') return portals.get(message.portal).statement.parsed?.whole;
      if (message?.kind !== 'describe') return undefined;
      const { parsed } =
        message.what === 'statement' ? statements.get(message.name) : portals.get(message.name).statement;
      return parsed?.whole;
    } catch {
      return undefined;
    }
  }

  async #parse({ statement: name, sql, parameterTypes }: Message<'parse'>): Promise<void> {
    const { statements, stream, parameters } = this.#state;
    const [text, ...more] = await statementTexts(sql, parameters.settings);
    if (more.length > 0) {
      const message = 'cannot insert multiple commands into a prepared statement';
      throw TesseraError.of('SYNTAX_ERROR', { message });
    }
    const parsed = text && parseStatement(sql, text);
    if (parsed !== undefined) checkTransaction(this.#state, parsed);
    statements.add(name, preparedStatement(parsed, { oids: parameterTypes }));
    stream.write(PARSE_COMPLETE);
  }

  async #bind(message: BindMessage): Promise<void> {
    const { statements, portals, stream } = this.#state;
    const statement = statements.get(message.statement);
    checkTransaction(this.#state, statement.parsed);
    await portals.add({
      name: message.portal,
      statement,
      parameters: await boundParameters(this.#state, statement, message),
      formats: message.resultFormats,
      outcome: undefined,
      ended: false,
    });
    stream.write(BIND_COMPLETE);
  }

  async #describeStatement(name: string): Promise<void> {
    const { statements, stream } = this.#state;
    const statement = statements.get(name);
    checkTransaction(this.#state, statement.parsed);
    const { parameters, columns } = await describePrepared(this.#state, statement);
    const types = new Map(parameters.map(({ name: parameter, type }) => [parameter, type]));
    const oids = Array.from({ length: Math.max(statement.parameterCount, parameters.length) }, (_, i) => {
      const type = types.get(`$${i + 1}`) ?? TEXT;
      return statement.parameterOids[i] || wireType(type).oid;
    });
    stream.write(parameterDescription(oids), fieldsOf(columns));
  }

  /**
   * Starts a query to learn its columns; Execute then continues with its rows. A statement that changes data
   * only starts with Execute.
   */
  async #describePortal(name: string): Promise<void> {
    const { portals, stream } = this.#state;
    const portal = portals.get(name);
    const { parsed } = portal.statement;
    checkTransaction(this.#state, parsed);
    if (parsed === undefined || !asksForRows(parsed)) {
      const { columns } = await describePrepared(this.#state, portal.statement);
      stream.write(rowsOrNone(columns, portal));
      return;
    }
    const outcome = await this.#started(portal, parsed);
    stream.write(outcome.kind === 'rows' ? rowsOrNone(outcome.rows.columns, portal) : NO_DATA);
  }

  async #execute({ portal: name, maxRows }: Message<'execute'>): Promise<void> {
    const { portals, stream } = this.#state;
    const portal = portals.get(name);
    const { parsed } = portal.statement;
    if (parsed === undefined) {
      stream.write(EMPTY_QUERY);
      return;
    }
    checkTransaction(this.#state, parsed);
    const outcome = await this.#started(portal, parsed);
    switch (outcome.kind) {
      case 'done':
        stream.write(commandComplete(outcome.tag));
        return;
      case 'dialogue':
        stream.write(commandComplete(await outcome.run()));
        return;
      case 'rows': {
        const limit = maxRows === 0 ? Number.POSITIVE_INFINITY : maxRows;
        const sent = portal.ended ? { rows: 0, ended: true } : await outcome.rows.send(stream, limit);
        portal.ended = sent.ended;
        stream.write(sent.ended ? commandComplete(outcome.tag(sent.rows)) : PORTAL_SUSPENDED);
      }
    }
  }

  async #started(portal: Portal, parsed: ParsedStatement): Promise<Outcome> {
    if (portal.outcome !== undefined) return portal.outcome;
    portal.statement.executions += 1;
    // The rows of RETURNING arrive after the change is committed, which is too late for a refusal.
    if (returnsRows(parsed)) await checkColumns(portal.statement, await this.#columnsNow(portal.statement));
    const outcome = await this.#state.start(parsed, {
      parameters: portal.parameters,
      formats: portal.formats ?? [],
      moreMayFollow: this.#state.stream.peekType() !== SYNC,
    });
    portal.outcome = outcome;
    if (outcome.kind === 'rows') await checkColumns(portal.statement, outcome.rows.columns);
    return outcome;
  }

  async #columnsNow(statement: PreparedStatement): Promise<readonly OutputColumn[]> {
    if (statement.description === undefined) return [];
    const { columns = [] } = await describePrepared(this.#state, { ...statement, description: undefined });
    return columns;
  }

  async #close({ what, name }: Message<'close'>): Promise<void> {
    const { statements, portals, stream } = this.#state;
    if (what === 'statement') statements.remove(name);
    else await portals.close(name);
    stream.write(CLOSE_COMPLETE);
  }
}

const TEXT = { kind: 'text' } as const;

const asksForRows = ({ work }: ParsedStatement): boolean => work.by === 'engine' && isQuery(work.statement);

const returnsRows = ({ work }: ParsedStatement): boolean =>
  work.by === 'engine' && isReturning(work.statement);

const fieldsOf = (columns: readonly OutputColumn[] | undefined): Buffer =>
  columns === undefined ? NO_DATA : rowDescription(rowFields(columns));

const rowsOrNone = (columns: readonly OutputColumn[] | undefined, { formats }: Portal): Buffer =>
  columns === undefined ? NO_DATA : rowDescription(rowFields(columns, formats ?? []));

/**
 * Checks that the columns are those that were described to the client, because it decodes the rows by them.
 * @throws TesseraError NOT_SUPPORTED if a table has changed since
 */
async function checkColumns(statement: PreparedStatement, columns: readonly OutputColumn[]): Promise<void> {
  const told = await statement.description;
  if (told?.columns === undefined) return;
  const oids = (list: readonly OutputColumn[]) => list.map(({ type }) => wireType(type).oid).join();
  if (oids(told.columns) === oids(columns)) return;
  statement.description = undefined;
  const error = TesseraError.of('NOT_SUPPORTED', { what: 'A statement whose columns have changed' });
  throw error.with({ message: CHANGED_RESULT });
}
