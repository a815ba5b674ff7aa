import { isDeepStrictEqual } from 'node:util';
import { fail } from '@tessera/common';
import type { KernelSession } from '@tessera/kernel';
import type { RecordBatch } from 'apache-arrow';
import { toArrowSchema, toRecordBatch } from './arrow-batches.ts';
import type { ColumnField } from './columns/column-batch.ts';
import { Decoding, type SourceFile } from './thread/decoding.ts';

export interface LoadOptions {
  /** The files, at least one; all must have the same columns. */
  readonly files: readonly SourceFile[];
  /** The name of the TEMP table to create; its rows follow the order of the files. */
  readonly table: string;
  readonly signal: AbortSignal;
}

/** Loads Avro container files. Throws BAD_FILE or NOT_SUPPORTED with the file and the place in it. */
export function loadAvro(session: KernelSession, options: LoadOptions): Promise<void> {
  return load('avro', session, options);
}

/** Loads Arrow IPC files or streams, which are recognised by their first bytes. Throws as `loadAvro` does. */
export function loadArrow(session: KernelSession, options: LoadOptions): Promise<void> {
  return load('arrow', session, options);
}

async function load(format: 'avro' | 'arrow', session: KernelSession, options: LoadOptions): Promise<void> {
  const { files, table, signal } = options;
  const [firstFile, ...otherFiles] = files;
  if (firstFile === undefined) throw new Error('No file to load');
  const first = await Decoding.start(format, firstFile, signal);
  const schema = toArrowSchema(first.fields);
  let failure: unknown;

  async function* batches(): AsyncGenerator<RecordBatch> {
    try {
      for await (const batch of first.batches()) yield toRecordBatch(schema, batch);
      await first.close();
      for (const file of otherFiles) {
        const next = await Decoding.start(format, file, signal);
        try {
          checkSameColumns(first.fields, next.fields, firstFile!, file);
          for await (const batch of next.batches()) yield toRecordBatch(schema, batch);
        } finally {
          await next.close();
        }
      }
    } catch (error) {
      failure = error;
      throw error;
    }
  }

  try {
    await session.append(table, schema, batches());
  } catch (error) {
    // The error in the file is more informative than the kernel's error about the truncated stream.
    throw failure ?? error;
  } finally {
    await first.close();
  }
}

function checkSameColumns(
  expected: readonly ColumnField[],
  found: readonly ColumnField[],
  firstFile: SourceFile,
  file: SourceFile,
): void {
  if (isDeepStrictEqual(expected, found)) return;
  const at = found.findIndex((field, index) => !isDeepStrictEqual(field, expected[index]));
  const name = (found[at] ?? expected[found.length])!.name;
  fail('BAD_FILE', {
    name: file.label,
    reason: `its columns are not those of ${firstFile.label} (the first difference is "${name}")`,
  });
}
