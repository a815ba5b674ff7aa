import { TesseraError } from '@tessera/common';
import type { Kernel, KernelBatch } from '@tessera/kernel';
import { encodedSql } from '../types/exchange-encoding.ts';
import type { KeptOutput } from './kept-outputs.ts';
import { columnName, type Selection, selectionSql } from './output-table.ts';

const MAX_BATCH_BYTES = 1 << 20;

/** The schema, or a batch of rows. */
export type ReadPart = Uint8Array | Pick<KernelBatch, 'ipc' | 'rows' | 'release'>;

/**
 * Rows of an output, read in a session of their own: first the encapsulated Arrow Schema message with the dictionaries
 * behind it, the same on all nodes for one shape, then the batches.
 * @throws TesseraError KERNEL_LOST when the process that had the output is not there any more
 */
export async function* readOutput(
  kernel: Kernel,
  output: KeptOutput,
  selection: Selection,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const session = await kernel.session({ timeZone: 'UTC' });
  const stop = () => session.interrupt();
  const any = AbortSignal.any([signal, output.released]);
  any.addEventListener('abort', stop, { once: true });
  try {
    if (session.processId !== output.processId) {
      throw TesseraError.of('KERNEL_LOST', { message: 'The kernel process that had the output ended' });
    }
    if (any.aborted) throw any.reason;
    const columns = output.types.map((type, i) => `${encodedSql(columnName(i), type)} AS ${columnName(i)}`);
    const where = selectionSql(selection, output.rows);
    const sql = `SELECT ${columns.join(', ')} FROM ${output.table}${where}`;
    const result = await session.query(sql, [], { maxBatchBytes: MAX_BATCH_BYTES });
    yield result.schemaIpc;
    yield* result.batches;
  } catch (error) {
    throw output.released.aborted ? output.released.reason : error;
  } finally {
    any.removeEventListener('abort', stop);
    await session.close();
  }
}
