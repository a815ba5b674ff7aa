import { fail } from '@tessera/common';
import type { ExternalReader } from '@tessera/object-store';
import { readAvroRecords } from '@tessera/readers';
import { readMetadata } from '../table/read-metadata.ts';
import type { IcebergSnapshot } from './metadata.ts';

/** A file that lists data files or files of deletes. */
export interface Manifest {
  readonly url: string;
  readonly specId: number;
  readonly isOfDeletes: boolean;
  readonly sequence: bigint;
  /** The number of its files that belong to the snapshot; undefined if the manifest list does not say it. */
  readonly files: number | undefined;
  /** What is known about the partitions of its files, by position in the partition spec. */
  readonly partitions: readonly PartitionSummary[] | undefined;
}

interface PartitionSummary {
  readonly someNull: boolean;
  readonly low: Buffer | undefined;
  readonly high: Buffer | undefined;
}

type FileContent = 'data' | 'position deletes' | 'equality deletes';

/** A file that belongs to the table. */
export interface ManifestEntry {
  readonly url: string;
  /** The URL as the manifest has it. */
  readonly path: string;
  readonly content: FileContent;
  readonly format: string;
  readonly specId: number;
  readonly sequence: bigint;
  /** The values of the partition fields, in the order of the spec. */
  readonly partition: readonly unknown[];
  readonly rows: number;
  readonly bytes: number;
  /** Counts and bounds by field id. */
  readonly nulls: ReadonlyMap<number, number>;
  readonly nans: ReadonlyMap<number, number>;
  readonly low: ReadonlyMap<number, Buffer>;
  readonly high: ReadonlyMap<number, Buffer>;
  readonly equalityIds: readonly number[];
  /** The data file that deletes are about, if it is only one. */
  readonly referenced: string | undefined;
  /** The place of a deletion vector in the file. */
  readonly blob: { readonly offset: number; readonly bytes: number } | undefined;
}

type Values = Readonly<Record<string, unknown>>;

/** The manifests of a snapshot. */
export async function readManifestList(
  reader: ExternalReader,
  snapshot: IcebergSnapshot,
  locate: (url: string) => string,
): Promise<readonly Manifest[]> {
  const list = snapshot['manifest-list'];
  if (list === undefined)
    return (snapshot.manifests ?? []).map((path) => ({
      url: locate(path),
      specId: 0,
      isOfDeletes: false,
      sequence: 0n,
      files: undefined,
      partitions: undefined,
    }));
  const url = locate(list);
  const { records } = await readAvroRecords(await readMetadata(reader, url), url);
  return records.map((record): Manifest => {
    const added = record['added_files_count'] ?? record['added_data_files_count'];
    const existing = record['existing_files_count'] ?? record['existing_data_files_count'];
    const summaries = record['partitions'] as readonly Values[] | null | undefined;
    return {
      url: locate(textIn(record, 'manifest_path', url)),
      specId: Number(record['partition_spec_id'] ?? 0),
      isOfDeletes: record['content'] === 1,
      sequence: BigInt((record['sequence_number'] as bigint | null | undefined) ?? 0n),
      files: typeof added === 'number' && typeof existing === 'number' ? added + existing : undefined,
      partitions: summaries?.map((summary) => ({
        someNull: summary['contains_null'] !== false,
        low: bufferOf(summary['lower_bound']),
        high: bufferOf(summary['upper_bound']),
      })),
    };
  });
}

const DELETED = 2;
const CONTENTS: readonly FileContent[] = ['data', 'position deletes', 'equality deletes'];

/** The files of a manifest that belong to the table. */
export async function readManifest(
  reader: ExternalReader,
  manifest: Manifest,
  locate: (url: string) => string,
): Promise<readonly ManifestEntry[]> {
  const { url } = manifest;
  const { records } = await readAvroRecords(await readMetadata(reader, url), url);
  return records
    .filter((record) => record['status'] !== DELETED)
    .map((record): ManifestEntry => {
      const file = record['data_file'] as Values | undefined;
      if (file === undefined) return fail('BAD_FILE', { name: url, reason: 'a record has no "data_file"' });
      // A file that was added by the commit of the manifest has the manifest's sequence number.
      const sequence = (record['sequence_number'] as bigint | null | undefined) ?? manifest.sequence;
      const referenced = file['referenced_data_file'];
      const offset = file['content_offset'];
      return {
        url: locate(textIn(file, 'file_path', url)),
        path: textIn(file, 'file_path', url),
        content: CONTENTS[Number(file['content'] ?? 0)] ?? 'data',
        format: String(file['file_format']).toLowerCase(),
        specId: manifest.specId,
        sequence,
        partition: Object.values((file['partition'] ?? {}) as Values),
        rows: Number(file['record_count']),
        bytes: Number(file['file_size_in_bytes']),
        nulls: byField(file['null_value_counts'], Number),
        nans: byField(file['nan_value_counts'], Number),
        low: byField(file['lower_bounds'], (value) => value as Buffer),
        high: byField(file['upper_bounds'], (value) => value as Buffer),
        equalityIds: ((file['equality_ids'] ?? []) as readonly unknown[]).map(Number),
        referenced: typeof referenced === 'string' ? locate(referenced) : undefined,
        blob:
          typeof offset === 'bigint'
            ? { offset: Number(offset), bytes: Number(file['content_size_in_bytes']) }
            : undefined,
      };
    });
}

const bufferOf = (value: unknown): Buffer | undefined => (Buffer.isBuffer(value) ? value : undefined);

/** Maps whose keys are integers are lists of pairs in Avro. */
const byField = <T>(pairs: unknown, map: (value: unknown) => T): ReadonlyMap<number, T> =>
  new Map(
    ((pairs ?? []) as readonly { key: number; value: unknown }[]).map(({ key, value }) => [key, map(value)]),
  );

function textIn(record: Values, field: string, name: string): string {
  const value = record[field];
  return typeof value === 'string' ? value : fail('BAD_FILE', { name, reason: `a record has no "${field}"` });
}
