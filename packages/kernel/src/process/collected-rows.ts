import { NativeError, positionedAfter } from '../native/native-error.ts';
import { NativeStatement } from '../native/statement.ts';
import { enclosedSql, occursIn, type WireParams } from '../protocol/long-text.ts';
import { quoteName } from '../types/quoting.ts';
import { waitsForReader } from './pipelines.ts';
import { planOf } from './planned-work.ts';

/**
 * The statement to execute for a stream of the rows of `statement`: itself, or one that collects all rows first, in memory or on disk, if
 * the kernel would wait for the reader and the reader for the kernel (see `waitsForReader`). `use` gets it with its parameters.
 */
export async function withStreamable<T>(
  statement: NativeStatement,
  params: WireParams,
  use: (statement: NativeStatement) => Promise<T>,
): Promise<T> {
  const { connection, sql } = statement;
  const mayWait = statement.isSelect && occursIn(sql, /\bUNION\b/i);
  const plan = mayWait ? await planOf(connection, sql, params) : undefined;
  if (plan === undefined || !waitsForReader(plan)) return use(statement);
  const names = statement.columnNames();
  const columns = names.map((_, i) => `c${i}`);
  const prefix = `WITH "$rows"(${columns.join(', ')}) AS MATERIALIZED (`;
  const select = columns.map((column, i) => `${column} AS ${quoteName(names[i]!)}`).join(', ');
  let collecting: NativeStatement | undefined;
  try {
    const text = enclosedSql(prefix, sql, `\n) SELECT ${select} FROM "$rows"`);
    collecting = await NativeStatement.prepare(connection, text);
    collecting.bind(params);
    return await use(collecting);
  } catch (error) {
    throw error instanceof NativeError ? positionedAfter(prefix.length, error, sql) : error;
  } finally {
    collecting?.destroy();
  }
}
