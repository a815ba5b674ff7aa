import type { KernelParams, KernelSession } from '@tessera/kernel';
import { tableFromIPC } from 'apache-arrow';

/** The positions of rows by the number of their tablet in the query; in no particular order. */
export type RowPositions = ReadonlyMap<number, readonly Uint32Array[]>;

/** Reads the columns `"$tablet"` and `"$row"` of a query. For `fewRows` see `KernelSession.query`. */
export async function rowPositions(
  session: KernelSession,
  sql: string,
  params: KernelParams = [],
  { fewRows = false } = {},
): Promise<RowPositions> {
  const positions = new Map<number, Uint32Array[]>();
  const ordered = `SELECT "$tablet"::INTEGER AS t, "$row"::UINTEGER AS r FROM (${sql}) AS changed`;
  const result = await session.query(ordered, params, { fewRows });
  for await (const batch of result.batches) {
    const table = tableFromIPC(Buffer.concat([result.schemaIpc, batch.ipc]));
    collect(positions, table.getChildAt(0)!.toArray(), table.getChildAt(1)!.toArray());
  }
  return positions;
}

/** Consecutive rows mostly belong to the same tablet, so runs of one tablet are copied as a whole. */
function collect(positions: Map<number, Uint32Array[]>, tablets: Int32Array, rows: Uint32Array): void {
  for (let start = 0; start < tablets.length; ) {
    const tablet = tablets[start]!;
    let end = start + 1;
    while (end < tablets.length && tablets[end] === tablet) end += 1;
    const run = rows.slice(start, end);
    const runs = positions.get(tablet);
    if (runs === undefined) positions.set(tablet, [run]);
    else runs.push(run);
    start = end;
  }
}

export const countRows = (positions: RowPositions): number =>
  positions.values().reduce((sum, runs) => sum + runs.reduce((rows, run) => rows + run.length, 0), 0);
