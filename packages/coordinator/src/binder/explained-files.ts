import type { ChosenFiles } from '@tessera/file-scan';
import type { BoundQuery } from '../read/bound-query.ts';

/** How a table of files outside the managed store is read, or would be. */
export interface ExplainedFiles {
  readonly url: string;
  /** The columns that are read. */
  readonly columns: readonly string[];
  readonly chosen: ChosenFiles;
}

/** Chooses the files of every table of files as the query would. */
export async function explainedFiles(
  { files, scans }: Pick<BoundQuery, 'files' | 'scans'>,
  signal: AbortSignal,
): Promise<readonly ExplainedFiles[]> {
  const explained: ExplainedFiles[] = [];
  for (const [name, { scan, columns }] of files) {
    const wanted = scans?.get(name);
    if (scan.choose === undefined || (scans !== undefined && wanted === undefined)) continue;
    const chosen = await scan.choose(wanted?.filters ?? [], signal);
    explained.push({
      url: scan.url,
      columns: wanted?.columns ?? columns.map((column) => column.name),
      chosen,
    });
  }
  return explained;
}

/** One line per table. */
export const fileLines = (files: readonly ExplainedFiles[]): readonly string[] =>
  files.map(({ url, columns, chosen }) => {
    const { total, prunedByPartition, prunedByRange, foldersSkipped } = chosen;
    const skipped = foldersSkipped === 0 ? '' : `, ${foldersSkipped} folders skipped`;
    return [
      `${url}: files ${chosen.files.length}${total === undefined ? '' : ` of ${total}`} (${prunedByPartition} pruned by partition, ${prunedByRange} by min/max${skipped})`,
      `columns ${columns.join(', ') || 'none'}`,
      `bytes of files ${bytesOf(chosen)}`,
    ].join('; ');
  });

/** The same as JSON members. */
export const fileMembers = (files: readonly ExplainedFiles[]): readonly object[] =>
  files.map(({ url, columns, chosen }) => ({
    table: url,
    columns,
    files: chosen.total,
    files_read: chosen.files.length,
    files_pruned_by_partition: chosen.prunedByPartition,
    files_pruned_by_min_max: chosen.prunedByRange,
    folders_skipped: chosen.foldersSkipped,
    bytes_of_files: bytesOf(chosen),
  }));

const bytesOf = ({ files }: ChosenFiles): number => files.reduce((sum, { file }) => sum + file.bytes, 0);
