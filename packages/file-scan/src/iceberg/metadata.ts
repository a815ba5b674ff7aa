import { fail } from '@tessera/common';
import type { ExternalReader } from '@tessera/object-store';
import { parseMetadata, readMetadata } from '../table/read-metadata.ts';

/**
 * The metadata of an Iceberg table, as far as reading needs it.
 * Source: https://iceberg.apache.org/spec/#table-metadata-fields
 */
export interface IcebergMetadata {
  readonly 'format-version': number;
  readonly location: string;
  readonly schemas?: readonly IcebergSchema[];
  readonly schema?: IcebergSchema;
  readonly 'current-schema-id'?: number;
  readonly 'partition-specs'?: readonly PartitionSpec[];
  readonly 'partition-spec'?: readonly PartitionField[];
  readonly 'current-snapshot-id'?: number | bigint | null;
  readonly snapshots?: readonly IcebergSnapshot[];
  readonly 'snapshot-log'?: readonly {
    readonly 'snapshot-id': number | bigint;
    readonly 'timestamp-ms': number;
  }[];
  readonly properties?: Readonly<Record<string, string>>;
}

export interface IcebergSchema {
  readonly 'schema-id'?: number;
  readonly fields: readonly IcebergField[];
}

export interface IcebergField {
  readonly id: number;
  readonly name: string;
  readonly type: IcebergType;
  readonly 'initial-default'?: unknown;
}

export type IcebergType =
  | string
  | { readonly type: 'struct'; readonly fields: readonly IcebergField[] }
  | { readonly type: 'list'; readonly 'element-id': number; readonly element: IcebergType }
  | {
      readonly type: 'map';
      readonly 'key-id': number;
      readonly key: IcebergType;
      readonly 'value-id': number;
      readonly value: IcebergType;
    };

interface PartitionSpec {
  readonly 'spec-id': number;
  readonly fields: readonly PartitionField[];
}

export interface PartitionField {
  readonly 'source-id': number;
  readonly 'field-id'?: number;
  readonly transform: string;
}

export interface IcebergSnapshot {
  readonly 'snapshot-id': number | bigint;
  readonly 'timestamp-ms': number;
  readonly 'schema-id'?: number;
  readonly 'manifest-list'?: string;
  readonly manifests?: readonly string[];
  readonly summary?: Readonly<Record<string, string>>;
}

const NEWEST_VERSION = 3;

/**
 * Reads the metadata of a table.
 * @param url a metadata file, or the folder of the table, whose newest metadata file is read
 */
export async function icebergMetadata(
  reader: ExternalReader,
  url: string,
): Promise<{ readonly file: string; readonly metadata: IcebergMetadata }> {
  const file = /\.json(?:\.gz)?$/i.test(url) ? url : await newestMetadata(reader, url.replace(/\/$/, ''));
  const metadata = parseMetadata<IcebergMetadata>((await readMetadata(reader, file)).toString('utf8'), file);
  const version = metadata['format-version'];
  if (typeof version !== 'number' || typeof metadata.location !== 'string')
    return fail('BAD_FILE', { name: file, reason: 'it has no "format-version" or no "location"' });
  if (version > NEWEST_VERSION)
    return fail('NOT_SUPPORTED', { what: `Version ${version} of the Iceberg format, which ${file} has,` });
  return { file, metadata };
}

/** Tables without a catalog have a file with the number of their version. Others are found by the names of their files. */
async function newestMetadata(reader: ExternalReader, table: string): Promise<string> {
  const hint = await reader.whole(`${table}/metadata/version-hint.text`);
  const hinted = /^\s*(\d+)\s*$/.exec(hint === undefined ? '' : Buffer.from(hint).toString('utf8'))?.[1];
  const files = await reader.list(`${table}/metadata/*.metadata.json*`);
  const named = files.map(({ url }) => url);
  const ofHint = hinted && new RegExp(`/v?0*${hinted}(?:\\.gz)?\\.metadata\\.json`);
  const byHint = ofHint && named.find((name) => ofHint.test(name));
  if (byHint) return byHint;
  const newest = named.toSorted((a, b) => versionOf(a) - versionOf(b) || (a < b ? -1 : 1)).at(-1);
  const hintText = 'there is no file metadata/*.metadata.json, so it is not the folder of an Iceberg table';
  return newest ?? fail('FILE_NOT_FOUND', { url: table, hint: hintText });
}

/** Files are named `v3.metadata.json` or `00003-<uuid>.metadata.json`. */
const versionOf = (url: string): number => Number(/\/v?(\d+)[^/]*$/.exec(url)?.[1] ?? -1);

/** Chooses the snapshot to read; by default, the current one. */
export interface SnapshotChoice {
  readonly id?: string | undefined;
  /** The time whose current snapshot is read. */
  readonly time?: Date | undefined;
}

/** Undefined if the table has no rows yet. @throws TesseraError INVALID_ARGUMENT if there is no such snapshot */
export function chosenSnapshot(
  { snapshots = [], 'snapshot-log': log, 'current-snapshot-id': current }: IcebergMetadata,
  { id, time }: SnapshotChoice,
  url: string,
): IcebergSnapshot | undefined {
  if (id !== undefined) return found(snapshots, id, url);
  if (time !== undefined) {
    const entries = log ?? snapshots;
    const last = entries.findLast((entry) => entry['timestamp-ms'] <= time.getTime());
    if (last !== undefined) return found(snapshots, String(last['snapshot-id']), url);
    const message = `${url} had no snapshot at ${time.toISOString()}: the first one it knows is of ${firstTime(entries)}`;
    return fail('INVALID_ARGUMENT', { message });
  }
  return current === undefined || current === null || current === -1
    ? undefined
    : found(snapshots, String(current), url);
}

const firstTime = (entries: readonly { readonly 'timestamp-ms': number }[]): string =>
  entries[0] === undefined ? 'no time' : new Date(entries[0]['timestamp-ms']).toISOString();

function found(snapshots: readonly IcebergSnapshot[], id: string, url: string): IcebergSnapshot {
  const one = snapshots.find((snapshot) => String(snapshot['snapshot-id']) === id);
  const known = snapshots.slice(-10).map((snapshot) => String(snapshot['snapshot-id']));
  const message = `${url} has no snapshot ${id}; the last ones are ${known.join(', ') || 'none'}`;
  return one ?? fail('INVALID_ARGUMENT', { message });
}

/** The columns of the table at a snapshot; of the current one, those of the table now. */
export function schemaAt(
  { schemas, schema, 'current-schema-id': current }: IcebergMetadata,
  snapshot: IcebergSnapshot | undefined,
  file: string,
): IcebergSchema {
  const wanted = snapshot?.['schema-id'] ?? current;
  const all = [...(schemas ?? []), ...(schema === undefined ? [] : [schema])];
  const reason = `it has no schema ${wanted}`;
  return all.find((one) => one['schema-id'] === wanted) ?? all[0] ?? fail('BAD_FILE', { name: file, reason });
}
