import type { ReadAuthority } from '@tessera/access-control';
import type { ObjectId, SequenceObject, Snapshot } from '@tessera/catalog';
import { placeOf, requireSequence } from '@tessera/catalog';
import { fail, type TransactionId } from '@tessera/common';
import { type KernelSession, quoteName, quoteText } from '@tessera/kernel';
import {
  type Mention,
  type ObjectName,
  quoteIdentifier,
  type SequenceResolver,
  type SessionSequences,
  settingOf,
  TokenCursor,
} from '@tessera/sql';
import { isExhaustion, kernelSequence, type SequenceDemand } from './sequence-demand.ts';
import type { SequenceTransaction, SequenceValues, TakenRange } from './sequence-values.ts';
import type { SessionValues } from './session-values.ts';

/** The context for which values are taken. */
interface SequenceDraw {
  readonly demand: SequenceDemand;
  /** Undefined if the client has no session. */
  readonly session: SessionValues | undefined;
  readonly transactionId: TransactionId | undefined;
}

export interface StatementSequencesOptions {
  readonly values: SequenceValues;
  readonly session: KernelSession;
  readonly snapshot: () => Promise<Snapshot>;
  readonly authority: ReadAuthority;
  /** Without `demand`, the statement does not run and takes no value. */
  readonly draw: Partial<Pick<SequenceDraw, 'demand' | 'session'>>;
  readonly transaction: SequenceTransaction | undefined;
}

interface UsedSequence {
  readonly sequence: SequenceObject;
  readonly range: TakenRange;
}

const UNUSED: TakenRange = { first: 1n, count: 2n, isLast: false };

/**
 * The sequences that one attempt at a statement uses. The kernel counts with a temporary sequence over values
 * that this node has reserved; unused values are returned when the statement ends.
 */
export class StatementSequences implements SequenceResolver, SessionSequences {
  readonly #options: StatementSequencesOptions;
  readonly #used = new Map<ObjectId, UsedSequence>();
  readonly #settings: { readonly sequence: SequenceObject; readonly column: number }[] = [];

  #isVoid = false;

  constructor(options: StatementSequencesOptions) {
    this.#options = options;
  }

  /** Records that the statement failed for lack of values, so that nobody has seen the values that it had. */
  failed(error: unknown): void {
    this.#isVoid ||= isExhaustion(error);
  }

  /** Whether rows of the statement depend on where and how often it runs. */
  get areUsed(): boolean {
    return this.#used.size > 0 || this.#settings.length > 0;
  }

  async next(name: string, mention: Mention): Promise<string> {
    const sequence = await this.#resolve(name, mention);
    const { id, increment, min, max, cycle } = sequence;
    const { values, draw, transaction, session } = this.#options;
    if (!this.#used.has(id)) {
      const limit = BigInt(increment) > 0n ? max : min;
      const wanted = draw.demand?.of(id, { name: sequence.name, limit, cycle });
      const range =
        wanted === undefined
          ? UNUSED
          : wanted.wraps
            ? await values.takeWrapping(sequence, wanted.count, transaction)
            : await values.take(sequence, wanted.count, transaction);
      if (range.isLast) draw.demand?.endsHere(id);
      this.#used.set(id, { sequence, range });
      await session.execute(definition({ sequence, range }));
    }
    return kernelSequence(id);
  }

  async current(name: string | undefined, mention: Mention): Promise<bigint> {
    const { session: sessionValues } = this.#options.draw;
    const sequence = name === undefined ? undefined : await this.#resolve(name, mention);
    const value = sequence === undefined ? sessionValues?.last : sessionValues?.of(sequence.id);
    if (value !== undefined) return value;
    const what = sequence === undefined ? 'lastval' : `currval of sequence "${sequence.name}"`;
    const why =
      sessionValues === undefined ? 'a request over HTTP has no session' : 'nextval was not called before';
    const message = `${what} is not yet defined in this session: ${why}`;
    return fail('NO_SEQUENCE_VALUE', { message }, { location: mention.location });
  }

  async set(name: string, column: number, mention: Mention): Promise<void> {
    this.#settings.push({ sequence: await this.#resolve(name, mention), column });
  }

  async owned(table: string, column: string, { database, location }: Mention): Promise<string | undefined> {
    const snapshot = await this.#options.snapshot();
    const { schema, name } = placeOf(snapshot, objectName(table, location), database);
    const relation = snapshot.relation(schema.id, name);
    const found = relation && 'columns' in relation && relation.columns.find((c) => c.name === column);
    if (!relation || !found) return undefined;
    const sequence = snapshot
      .sequences(schema.id)
      .find(({ ownedBy }) => ownedBy?.tableId === relation.id && ownedBy.columnId === found.id);
    return sequence && `${quoteIdentifier(schema.name)}.${quoteIdentifier(sequence.name)}`;
  }

  async defineIn(session: KernelSession): Promise<void> {
    for (const used of this.#used.values()) await session.execute(definition(used));
  }

  /**
   * Sets the sequences to the values in the rows of `table`; returns the expressions of the user's result.
   */
  async applySettings(table: string, columns: readonly string[]): Promise<readonly string[]> {
    const { session, values, transaction } = this.#options;
    for (const { sequence, column } of this.#settings) {
      const name = quoteName(columns[column]!);
      const last = await session.scalar(
        `SELECT last(${name}) FILTER (WHERE ${name} IS NOT NULL) FROM ${table}`,
      );
      if (last === null) continue;
      const { value, isCalled } = settingOf(BigInt(String(last)));
      await values.set(sequence, value, isCalled, transaction);
      if (isCalled) this.#options.draw.session?.add(sequence.id, value);
    }
    const set = new Set(this.#settings.map(({ column }) => column));
    return columns.map((name, i) =>
      set.has(i) ? `CAST(${quoteName(name)} >> 1 AS BIGINT)` : quoteName(name),
    );
  }

  /** Returns unused values, unless the session can no longer report them. Never rejects. */
  async end(): Promise<void> {
    try {
      await this.#end();
    } catch {
      // The kernel is gone or the statement was interrupted; these values are never used.
    }
  }

  async #end(): Promise<void> {
    const { values, session, draw, transaction } = this.#options;
    if (draw.demand === undefined) return;
    for (const { sequence, range } of this.#used.values()) {
      const wraps = range.nextOfOthers !== undefined;
      if (this.#isVoid && wraps) continue;
      if (this.#isVoid) {
        values.giveBack(sequence, range);
        continue;
      }
      const name = quoteText(kernelSequence(sequence.id));
      const sql = `SELECT CAST(last_value AS VARCHAR) FROM duckdb_sequences() WHERE sequence_name = ${name} AND temporary`;
      const last = await session.scalar(sql);
      const step = BigInt(sequence.increment);
      const used = last === null ? 0n : (BigInt(String(last)) - range.first) / step + 1n;
      if (last !== null) draw.session?.add(sequence.id, BigInt(String(last)));
      if (wraps) {
        if (last !== null) await values.endWrapping(sequence, range, BigInt(String(last)), transaction);
        continue;
      }
      values.giveBack(sequence, { first: range.first + used * step, count: range.count - used });
    }
    this.#used.clear();
  }

  async #resolve(text: string, { database, location, view }: Mention): Promise<SequenceObject> {
    const { authority } = this.#options;
    const snapshot = await this.#options.snapshot();
    const place = placeOf(snapshot, objectName(text, location), database);
    const sequence = requireSequence(snapshot, place);
    // A column's own sequence requires INSERT on its table, which is checked there.
    if (view === undefined && sequence.ownedBy === undefined) {
      authority.use(snapshot, place.database, { view: undefined, location });
      authority.use(snapshot, place.schema, { view: undefined, location });
      authority.use(snapshot, sequence, { view: undefined, location });
    }
    return sequence;
  }
}

function definition({ sequence, range: { first, count, nextOfOthers } }: UsedSequence): string {
  const { id, increment } = sequence;
  const step = BigInt(increment);
  if (nextOfOthers !== undefined) {
    const { min, max } = sequence;
    return `CREATE TEMP SEQUENCE ${quoteName(kernelSequence(id))} INCREMENT BY ${increment} MINVALUE ${min} MAXVALUE ${max} START ${first} CYCLE`;
  }
  const end = first + (count - 1n) * step;
  // The kernel does not accept a range of a single value, so the bound on the other side is moved.
  const [min, max] = step > 0n ? [first - 1n, end] : [end, first + 1n];
  return `CREATE TEMP SEQUENCE ${quoteName(kernelSequence(id))} INCREMENT BY ${increment} MINVALUE ${min} MAXVALUE ${max} START ${first} NO CYCLE`;
}

/** Parses `s`, `schema.s` or `database.schema.s`, the forms that `nextval` accepts. */
function objectName(text: string, location: Mention['location']): ObjectName {
  const cursor = new TokenCursor(text);
  const parts: string[] = [];
  do parts.push(cursor.expectName('the name of a sequence'));
  while (cursor.acceptSymbol('.'));
  cursor.expectEnd();
  return { parts, location: location ?? { line: 1, startColumn: 1, endColumn: 1 } };
}
