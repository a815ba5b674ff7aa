import type { KernelSession } from '@tessera/kernel';
import type { RecordBatch } from 'apache-arrow';
import { toArrowSchema, toRecordBatch } from './arrow-batches.ts';
import { Decoding, type SourceFile } from './thread/decoding.ts';

export interface LoadOptions {
  /** The files, at least one; all must have the same columns. */
  readonly files: readonly SourceFile[];
  /** The name of the TEMP table to create; its rows follow the order of the files. */
  readonly table: string;
  readonly signal: AbortSignal;
}

/**
 * Loads Avro container files and returns the number of rows. Throws BAD_FILE or NOT_SUPPORTED with the file
 * and the place in it.
 */
export function loadAvro(session: KernelSession, options: LoadOptions): Promise<number> {
  return load('avro', session, options);
}

/** Loads Arrow IPC files or streams, which are recognised by their first bytes. Throws as `loadAvro` does. */
export function loadArrow(session: KernelSession, options: LoadOptions): Promise<number> {
  return load('arrow', session, options);
}

async function load(format: 'avro' | 'arrow', session: KernelSession, options: LoadOptions): Promise<number> {
  const { files, table, signal } = options;
  if (files.length === 0) throw new Error('No file to load');
  const decoding = await Decoding.start(format, files, signal);
  const schema = toArrowSchema(decoding.fields);
  let failure: unknown;

  async function* batches(): AsyncGenerator<RecordBatch> {
    try {
      for await (const batch of decoding.batches()) yield toRecordBatch(schema, batch);
    } catch (error) {
      failure = error;
      throw error;
    }
  }

  try {
    return await session.append(table, schema, batches());
  } catch (error) {
    // The error in the file is more informative than the kernel's error about the truncated stream.
    throw failure ?? error;
  } finally {
    await decoding.close();
  }
}
