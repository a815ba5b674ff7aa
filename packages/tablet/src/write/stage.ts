import { newUlid } from '@tessera/common';
import { type KernelParams, type KernelSession, quoteName } from '@tessera/kernel';
import type { WriteOptions } from './write-options.ts';

/** The rows of one partition, which become one body. */
export interface StagedRows {
  readonly partition: readonly (string | null)[];
  /** A query of the rows in their stored form, sorted. */
  readonly sql: string;
  readonly params?: KernelParams | undefined;
  readonly rowGroupRows: number;
}

export const stageName = (): string => quoteName(`tablet_stage_${newUlid()}`);

/**
 * Drops the temp table and ignores errors: the original failure matters, and a session drops its temp tables
 * when it is closed.
 */
export async function dropStage(session: KernelSession, stage: string): Promise<void> {
  await session.execute(`DROP TABLE IF EXISTS ${stage}`).catch(() => undefined);
}

/** The partition expressions as columns of a stage. */
export function partitionColumns({ partitionSql }: WriteOptions) {
  const values = partitionSql.map((_, i) => quoteName(`$partition${i}`));
  return { values, expressions: partitionSql.map((expression, i) => `(${expression}) AS ${values[i]}`) };
}
