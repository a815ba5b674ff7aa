import type { Snapshot } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import { type OutputColumn, type QueryPart, queryParts, type SqlType, withParts } from '@tessera/sql';
import { sharesTables } from '../objects/session-options.ts';
import { plus } from '../queries/scan-totals.ts';
import type { StatementContext } from '../queries/statement-context.ts';
import type { BoundQuery } from '../read/bound-query.ts';
import type { ExecutableQuery, ExecutionOptions } from '../read/executable-query.ts';
import { type KeptParts, type KeptRows, PARTS_SCHEMA } from '../reuse/kept-parts.ts';
import { relationOf } from '../reuse/shared-table.ts';
import { namesHold } from './plan-cache.ts';
import { sessionOf } from './reuse-key.ts';

/** Longer parts are rarely repeated. */
const MAX_PART_LENGTH = 16_384;
/**
 * Parts of queries whose tables have more rows together are not kept. A part is computed without the conditions of the query around it, so this
 * bounds what that may cost: about a second.
 */
const MAX_TABLE_ROWS = 20_000_000;
/** Parts with more rows are not kept. */
const MAX_ROWS = 1_000_000;
/** A part is kept if it has at most this share of the rows that it reads: otherwise reading its tables costs hardly more. */
const MAX_SHARE_OF_ROWS = 1 / 4;
/** The estimated memory of a value with a fixed width. */
const VALUE_BYTES = 8;

/** Types whose values are the same after they were stored in a table of the kernel. */
const KEPT_TYPES: ReadonlySet<SqlType['kind']> = new Set([
  'boolean',
  'int',
  'long',
  'float',
  'double',
  'decimal',
  'text',
  'date',
  'timestamp',
  'timestamptz',
]);

/** A query whose parts may be read from kept rows. */
export interface DividedQuery {
  readonly context: StatementContext;
  readonly bound: BoundQuery;
  readonly snapshot: Snapshot;
  readonly options: ExecutionOptions;
}

type MakeExecutable = (context: StatementContext, options: ExecutionOptions) => Promise<ExecutableQuery>;

interface UsedPart extends QueryPart {
  readonly kept: KeptRows;
  release(): void;
}

/** Finds the parts of queries whose rows are kept, and keeps those that occur again. */
export class PartReuse {
  readonly #kept: KeptParts;
  readonly #executable: MakeExecutable;

  constructor(kept: KeptParts, executable: MakeExecutable) {
    this.#kept = kept;
    this.#executable = executable;
  }

  /**
   * The query with kept rows in the places of its parts, at the same snapshot; undefined if no part has any. The caller must
   * release it.
   */
  async executable(query: DividedQuery): Promise<ExecutableQuery | undefined> {
    const { context, snapshot, options } = query;
    const used: UsedPart[] = [];
    const release = () => {
      for (const part of used) part.release();
    };
    try {
      for (const part of this.#parts(query)) {
        const found = await this.#rowsOf(part, query);
        if (found !== undefined) used.push({ ...part, ...found });
      }
      if (used.length === 0) return undefined;
      const text = withParts(context.text, used.map(replaced));
      const parts = new Map(used.map(({ kept }) => [kept.name, kept]));
      const executable = await this.#executable(
        { ...context, text, snapshot: fixed(snapshot) },
        { ...options, mayReuse: false, onLiteralPlan: undefined, parts },
      );
      if (!sameTypes(executable.columns, query.bound.prepared.columns)) {
        await executable.release();
        release();
        return undefined;
      }
      context.query.activity.reusedParts += used.length;
      return {
        ...executable,
        release: async () => {
          await executable.release();
          release();
        },
      };
    } catch (error) {
      release();
      context.query.signal.throwIfAborted();
      // Whatever is wrong with the parts, the query itself is right, or reports its own error with its place.
      if (error instanceof TesseraError && error.name !== 'KERNEL_LOST') return undefined;
      throw error;
    }
  }

  /** The rows of each part that a query reads, if they are kept. */
  explained(query: DividedQuery): readonly { readonly text: string; readonly kept: KeptRows | undefined }[] {
    return this.#parts(query).map(({ text }) => ({
      text,
      kept: this.#kept.peek(keyOf(text, query.context), query.snapshot),
    }));
  }

  #parts({
    context,
    bound,
    options,
  }: Pick<DividedQuery, 'context' | 'bound' | 'options'>): readonly QueryPart[] {
    const { settings } = context.request;
    if (!this.#kept.isOn || !settings.enable_subresult_cache || options.quarantine === true) return [];
    // Kept rows are tables that sessions share.
    if (!sharesTables(settings)) return [];
    const rows = [...bound.tables.values()].reduce((sum, { plannedRows }) => sum + plannedRows, 0);
    if (rows < Math.max(1, settings.subresult_min_rows) || rows > MAX_TABLE_ROWS) return [];
    return queryParts(context.text).filter(({ text }) => text.length <= MAX_PART_LENGTH);
  }

  async #rowsOf(
    { text }: QueryPart,
    { context, bound, snapshot }: DividedQuery,
  ): Promise<{ readonly kept: KeptRows; release(): void } | undefined> {
    const key = keyOf(text, context);
    const found = this.#kept.use(key, snapshot);
    if (found !== undefined) return found;
    const contents = [...bound.tables.values()].map(({ table }) => snapshot.contentsVersion(table.id)).join();
    if (!this.#kept.isDue(key, snapshot, contents)) return undefined;
    const kept = await this.#computed(text, context, snapshot);
    if (kept === undefined) {
      this.#kept.refuse(key);
      return undefined;
    }
    this.#kept.add(key, kept);
    return this.#kept.use(key, snapshot);
  }

  /** Computes the rows of a part alone, and stores them in a table. Undefined if they cannot or should not be kept. */
  async #computed(
    text: string,
    context: StatementContext,
    snapshot: Snapshot,
  ): Promise<KeptRows | undefined> {
    const { query: running, request } = context;
    const alone: StatementContext = {
      ...context,
      text,
      request: { ...request, parameters: [], settings: { ...request.settings, max_result_rows: 0 } },
      snapshot: fixed(snapshot),
    };
    try {
      const executable = await this.#executable(alone, { isPart: true });
      try {
        const kept = await this.#stored(executable);
        running.activity.scanned = plus(running.activity.scanned, executable.scanned);
        return kept;
      } finally {
        await executable.release();
      }
    } catch (error) {
      running.signal.throwIfAborted();
      // A part that depends on the rows around it does not bind; one that fails alone may be pruned in its query.
      if (error instanceof TesseraError && error.name !== 'KERNEL_LOST') return undefined;
      throw error;
    }
  }

  async #stored({
    session,
    sql,
    params,
    columns,
    part,
    scanned,
  }: ExecutableQuery): Promise<KeptRows | undefined> {
    const { processId } = session;
    const { bound, reuse } = part!;
    if (reuse.key === undefined || bound.prepared.date !== undefined || processId === undefined)
      return undefined;
    if (!columns.every(({ type }) => KEPT_TYPES.has(type.kind) && !('postgres' in type))) return undefined;
    if (new Set(columns.map(({ name }) => name.toLowerCase())).size < columns.length) return undefined;
    const name = this.#kept.newName();
    const list = columns.map((_, i) => `c${i}`).join(', ');
    await session.execute(
      `CREATE TABLE ${relationOf(name)} AS SELECT * FROM (${sql}) AS q(${list}) LIMIT ${MAX_ROWS + 1}`,
      params,
    );
    const kept: KeptRows = {
      name,
      processId,
      columns,
      ...(await sizeOf(session, name, columns)),
      sources: reuse.sources,
      namesHold: (snapshot) => namesHold(bound.named, snapshot),
    };
    if (
      kept.rows <= Math.min(MAX_ROWS, scanned.rows * MAX_SHARE_OF_ROWS) &&
      kept.bytes <= this.#kept.maxPartBytes
    )
      return kept;
    await session.execute(`DROP TABLE ${relationOf(name)}`);
    return undefined;
  }
}

async function sizeOf(
  session: ExecutableQuery['session'],
  name: string,
  columns: readonly OutputColumn[],
): Promise<Pick<KeptRows, 'rows' | 'bytes'>> {
  const texts = columns.flatMap(({ type }, i) =>
    type.kind === 'text' ? [`coalesce(sum(strlen(c${i})), 0)`] : [],
  );
  const scalar = async (value: string) =>
    Number(await session.scalar(`SELECT (${value})::DOUBLE FROM ${relationOf(name)}`));
  const rows = await scalar('count(*)');
  const ofTexts = texts.length === 0 ? 0 : await scalar(texts.join(' + '));
  return { rows, bytes: rows * columns.length * VALUE_BYTES + ofTexts };
}

const replaced = ({ start, end, kept }: UsedPart) => ({
  start,
  end,
  replacement: `SELECT * FROM "${PARTS_SCHEMA}"."${kept.name}"`,
});

const keyOf = (text: string, context: StatementContext): string =>
  JSON.stringify([...sessionOf(context), text]);

const fixed =
  (snapshot: Snapshot): StatementContext['snapshot'] =>
  async () => ({ snapshot, release: () => undefined });

const sameTypes = (a: readonly OutputColumn[], b: readonly OutputColumn[]): boolean =>
  a.length === b.length && a.every(({ type }, i) => JSON.stringify(type) === JSON.stringify(b[i]!.type));
