import type { NativeConnection } from '../native/connection.ts';
import { type NativeResult, NativeStatement } from '../native/statement.ts';
import type { SqlText } from '../protocol/long-text.ts';

const MAX_STATEMENTS = 8;
/** Longer texts are hardly ever sent repeatedly with other parameters. */
const MAX_TEXT_LENGTH = 256;

/** A statement that took at most this many milliseconds costs less than the two changes of threads of another one. */
const QUICK_MS = 1;
/** How many rows it computes may then change from run to run, as in `range((random() * 1e9)::bigint)`. */
const VARYING = /random/i;

/** Statements of a session that stay prepared for the next call with the same text. */
export class KeptStatements {
  readonly #connection: NativeConnection;
  /** Least recently used first. */
  readonly #statements = new Map<string, NativeStatement>();
  /** The statements whose last run was quick. */
  readonly #quick = new WeakSet<NativeStatement>();
  readonly #now: () => number;

  /** @param now the clock in milliseconds; replaced in tests */
  constructor(connection: NativeConnection, now = () => performance.now()) {
    this.#connection = connection;
    this.#now = now;
  }

  /** Applies to statements that return one value. */
  static isWorthKeeping(sql: SqlText, parameters: number): boolean {
    return parameters > 0 && sql.length <= MAX_TEXT_LENGTH;
  }

  /** Runs `use` with the statement; a statement that failed is not kept. */
  async with<T>(sql: string, use: (statement: NativeStatement) => Promise<T>): Promise<T> {
    const statement = this.#statements.get(sql) ?? (await NativeStatement.prepare(this.#connection, sql));
    this.#statements.delete(sql);
    try {
      const value = await use(statement);
      this.#statements.set(sql, statement);
      this.#dropOldest();
      return value;
    } catch (error) {
      statement.destroy();
      throw error;
    }
  }

  /**
   * The materialised result of a statement without parameters that reads nothing, or the same rows each time. If it was quick when
   * it last ran, it may run on this thread, because it will be quick again.
   */
  async resultOf(sql: string, statement: NativeStatement, mayBlock: boolean): Promise<NativeResult> {
    const startedAt = this.#now();
    const isQuick = mayBlock && this.#quick.has(statement) && !VARYING.test(sql);
    const result = isQuick ? statement.executeAtOnce() : await statement.execute('materialised');
    if (this.#now() - startedAt <= QUICK_MS) this.#quick.add(statement);
    else this.#quick.delete(statement);
    return result;
  }

  /** Drops all statements, because the same text may have another meaning from now on. */
  clear(): void {
    for (const statement of this.#statements.values()) statement.destroy();
    this.#statements.clear();
  }

  /** Drops the statements whose texts name one of these relations. */
  dropReaders(relations: ReadonlySet<string>): void {
    for (const [sql, statement] of this.#statements) {
      if (![...relations].some((name) => sql.includes(name))) continue;
      this.#statements.delete(sql);
      statement.destroy();
    }
  }

  #dropOldest(): void {
    if (this.#statements.size <= MAX_STATEMENTS) return;
    const [[sql, statement]] = this.#statements as unknown as [[string, NativeStatement]];
    this.#statements.delete(sql);
    statement.destroy();
  }
}
