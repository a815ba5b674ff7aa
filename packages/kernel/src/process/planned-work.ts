import type { NativeInstance } from '../instance/instance.ts';
import { RECEIVED_FUNCTION } from '../instance/received-rows.ts';
import type { NativeConnection } from '../native/connection.ts';
import { firstValue } from '../native/scalar-value.ts';
import { destroyChunk, NativeStatement } from '../native/statement.ts';
import { decodeValue, prefixedSql, type SqlText, type WireParams } from '../protocol/long-text.ts';
import type { PlannedRows } from '../protocol/messages.ts';
import { type PlanNode, type PlannedPipeline, pipelinesOf, rowsOf } from './pipelines.ts';

/** What the kernel's optimiser expects of a statement. */
export interface PlannedWork {
  readonly rows: PlannedRows;
  /** In the order in which the kernel runs them. */
  readonly pipelines: readonly PlannedPipeline[];
}

const COLUMN_OF_PLAN = 1;

/**
 * Plans a statement on a connection of its own, without running it. Undefined for a statement that cannot be planned there,
 * for example because it reads a temp table of its session.
 */
export async function plannedWork(
  instance: NativeInstance,
  sql: SqlText,
  params: WireParams,
): Promise<PlannedWork | undefined> {
  let connection: NativeConnection | undefined;
  try {
    connection = instance.connect();
    const root = await planOf(connection, sql, params);
    return root && { rows: rowsOf(root), pipelines: pipelinesOf(root, RECEIVED_FUNCTION) };
  } catch {
    return undefined;
  } finally {
    await connection?.close();
  }
}

/** The plan of a statement. @throws NativeError if it cannot be planned */
export async function planOf(
  connection: NativeConnection,
  sql: SqlText,
  params: WireParams,
): Promise<PlanNode | undefined> {
  const statement = await NativeStatement.prepare(connection, prefixedSql('EXPLAIN (FORMAT JSON) ', sql));
  try {
    statement.bind(params);
    const result = await statement.execute('materialised');
    try {
      const chunk = result.next();
      if (chunk === undefined) return undefined;
      const plan = decodeValue(firstValue(chunk, COLUMN_OF_PLAN));
      destroyChunk(chunk);
      return typeof plan === 'string' ? (JSON.parse(plan) as readonly PlanNode[])[0] : undefined;
    } finally {
      await result.destroy();
    }
  } finally {
    statement.destroy();
  }
}
