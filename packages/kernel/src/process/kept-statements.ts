import type { NativeConnection } from '../native/connection.ts';
import { type NativeResult, NativeStatement } from '../native/statement.ts';
import type { SqlText } from '../protocol/long-text.ts';
import { QuickStatements } from './quick-statements.ts';

const MAX_STATEMENTS = 8;
/** Longer texts are hardly ever sent repeatedly with other parameters. */
const MAX_TEXT_LENGTH = 256;

/** Statements of a session that stay prepared for the next call with the same text. */
export class KeptStatements {
  readonly #connection: NativeConnection;
  /** Least recently used first. */
  readonly #statements = new Map<string, NativeStatement>();
  readonly #quick: QuickStatements;

  constructor(connection: NativeConnection, quick = new QuickStatements()) {
    this.#connection = connection;
    this.#quick = quick;
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
   * The materialised result of a statement without parameters that reads nothing, or the same rows each time. If it may block this
   * thread, it runs here if its last run was quick.
   */
  resultOf(sql: string, statement: NativeStatement, mayBlock: boolean): Promise<NativeResult> {
    const elsewhere = () => statement.execute('materialised');
    return mayBlock ? this.#quick.run(sql, () => statement.executeAtOnce(), elsewhere) : elsewhere();
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
