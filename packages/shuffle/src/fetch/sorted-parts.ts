import type { ArrowBatchInput, KernelSession } from '@tessera/kernel';
import type { ResultPart } from '../shuffle.ts';
import { exhaustedSpace } from '../space.ts';
import { firstMessageBytes, otherTypes, readSchema } from './receive-blocks.ts';
import { fetchedColumns, relationSql } from './relation-sql.ts';
import { PART_BYTES, type ResultPartsOptions } from './result-parts.ts';
import { SortedOutput } from './sorted-output.ts';

/**
 * The rows of sorted outputs, part by part; see `Shuffle.results`. A part has the rows up to the smallest of
 * the last keys that have arrived of each output: no output can still have a row before them. The rows after
 * it stay in memory, so that all outputs together hold about the size of a part, and a batch of each output.
 */
export async function* sortedParts(
  session: KernelSession,
  { outputs, follow, shape, node }: ResultPartsOptions,
): AsyncGenerator<ResultPart, void> {
  const sortKey = shape.sortKey!;
  const columns = await fetchedColumns(session, shape);
  const sorted = outputs.map((output) => new SortedOutput(output, { follow, sortKey }));
  const filled = (bytes: number) => Promise.all(sorted.map((output) => output.fill(bytes)));
  try {
    // The first rows are needed as soon as possible.
    for (let bytes = 1; ; ) {
      await filled(bytes);
      if (!sorted.some(({ hasRows }) => hasRows)) return;
      const bound = smallest(sorted.map((output) => output.bound));
      const taken = sorted.filter(({ firstKey }) => isUpTo(firstKey, bound));
      if (!taken.every((output) => output.begin())) continue;
      bytes = PART_BYTES / sorted.length;
      const schemaIpc = commonSchema(taken);
      const received = await session.receive(readSchema(schemaIpc), batches(schemaIpc, taken, bound));
      const sql = relationSql(received, columns, shape);
      const sent = sorted.reduce((sum, output) => sum + output.newBytes(), 0);
      yield { ...received, sql, bytes: sent, release: () => session.dropReceived(received) };
    }
  } catch (error) {
    throw exhaustedSpace(error, node);
  } finally {
    for (const output of sorted) output.close();
  }
}

async function* batches(
  schemaIpc: Uint8Array,
  outputs: readonly SortedOutput[],
  bound: Uint8Array | undefined,
): AsyncGenerator<ArrowBatchInput> {
  const dictionaries = schemaIpc.subarray(firstMessageBytes(schemaIpc));
  if (dictionaries.length > 0) yield { ipc: dictionaries };
  for (const output of outputs) yield* output.take(bound);
}

const isUpTo = (key: Uint8Array | undefined, bound: Uint8Array | undefined): boolean =>
  key !== undefined && (bound === undefined || Buffer.compare(key, bound) <= 0);

/** A copy of the smallest key: the rows that it is a part of may be released before it is used. */
function smallest(keys: readonly (Uint8Array | undefined)[]): Uint8Array | undefined {
  const known = keys.filter((key) => key !== undefined);
  if (known.length === 0) return undefined;
  return Buffer.from(known.reduce((a, b) => (Buffer.compare(a, b) <= 0 ? a : b)));
}

function commonSchema(outputs: readonly SortedOutput[]): Uint8Array {
  const [first, ...others] = outputs.map(({ schemaIpc }) => schemaIpc!);
  if (others.some((other) => Buffer.compare(other, first!) !== 0)) throw otherTypes();
  return first!;
}
