import { readdir, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fail, nearestName } from '@tessera/common';
import { type KernelParams, type KernelSession, literalPath, quoteName, quoteText } from '@tessera/kernel';
import type { CopyToStatement, OutputColumn } from '@tessera/sql';
import type { ResultFile } from './write-all.ts';

export interface Partitions {
  /** Where the files are written first. */
  readonly directory: string;
  readonly sql: string;
  readonly file: {
    /** The URL of the folder in which the folders of the partitions are created, without a slash at the end. */
    readonly folder: string | undefined;
    readonly name: string;
    readonly extension: string;
    /** The options of the kernel's COPY. */
    readonly options: string;
  };
  readonly partitionBy: CopyToStatement['partitionBy'];
  readonly columns: readonly OutputColumn[];
  readonly maxBytes: number;
}

/**
 * Writes a result into folders like `year=2024/month=5/` below a directory of this node. Files larger than `maxBytes` are
 * divided, because the kernel does not limit the size of files in folders.
 * @throws TesseraError UNDEFINED_NAME, INVALID_ARGUMENT
 */
export async function writePartitions(
  session: KernelSession,
  params: KernelParams,
  { directory, sql, file, partitionBy, columns, maxBytes }: Partitions,
): Promise<{ readonly rows: number; readonly files: readonly ResultFile[] }> {
  const names = partitionNames(partitionBy, columns).map(quoteName).join(', ');
  const root = join(directory, 'copy-result');
  const rows = await session.execute(
    `COPY (${sql}) TO ${quoteText(root)} (${file.options}, PARTITION_BY (${names}), FILENAME_PATTERN 'part_{i}')`,
    params,
  );
  const files: ResultFile[] = [];
  const counts = new Map<string, number>();
  for (const path of await filesBelow(root)) {
    const folder = relative(root, dirname(path));
    for (const part of await divided(session, path, file.options, maxBytes)) {
      const count = counts.get(folder) ?? 0;
      counts.set(folder, count + 1);
      files.push({ path: part, url: `${file.folder}/${folder}/${file.name}_${count}.${file.extension}` });
    }
  }
  return { rows, files };
}

function partitionNames(
  partitionBy: Partitions['partitionBy'],
  columns: readonly OutputColumn[],
): readonly string[] {
  const names = partitionBy.map(({ name, location }) => {
    if (columns.some((column) => column.name === name)) return name;
    const nearest = nearestName(
      name,
      columns.map((column) => column.name),
    );
    const message = `The result has no column "${name}" for PARTITION BY${nearest ? ` (did you mean ${nearest}?)` : ''}`;
    return fail('UNDEFINED_NAME', { message }, { location });
  });
  if (names.length === columns.length)
    fail('INVALID_ARGUMENT', {
      message: 'PARTITION BY names all columns, so that nothing is left for the files',
    });
  return names;
}

/** The files below a directory in the order of their paths; none if the directory does not exist. */
async function filesBelow(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The file itself, or files of limited size with its rows. */
async function divided(
  session: KernelSession,
  path: string,
  options: string,
  maxBytes: number,
): Promise<readonly string[]> {
  if (!options.startsWith('FORMAT parquet') || (await stat(path)).size <= maxBytes) return [path];
  const parts = `${path}.parts`;
  await session.execute(
    `COPY (FROM read_parquet(${quoteText(literalPath(path))}, hive_partitioning = false)) TO ${quoteText(parts)} (${options}, FILE_SIZE_BYTES ${maxBytes})`,
  );
  return filesBelow(parts);
}
