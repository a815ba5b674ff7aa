import { createWriteStream } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import avsc from 'avsc';

/** A file of an Iceberg table as a manifest lists it. */
interface WrittenFile {
  readonly path: string;
  readonly rows: number;
  readonly content?: 0 | 1 | 2;
  /** The value of the only partition field. */
  readonly partition?: unknown;
  readonly nulls?: readonly (readonly [id: number, count: number])[];
  readonly low?: readonly (readonly [id: number, value: Buffer])[];
  readonly high?: readonly (readonly [id: number, value: Buffer])[];
  readonly equalityIds?: readonly number[];
  /** The place of a deletion vector. */
  readonly vector?: { readonly of: string; readonly offset: number; readonly bytes: number };
}

/** Files that one commit adds. */
interface WrittenCommit {
  readonly snapshot: bigint;
  readonly time: number;
  readonly files: readonly WrittenFile[];
}

const optional = (type: unknown) => ['null', type];
const field = (id: number, name: string, type: unknown) => ({ name, type, 'field-id': id });
const pairs = (name: string, value: unknown) =>
  optional({
    type: 'array',
    logicalType: 'map',
    items: { type: 'record', name, fields: [field(1, 'key', 'int'), field(2, 'value', value)] },
  });

/** The schema of manifests for tables partitioned by one int: https://iceberg.apache.org/spec/#manifests */
const manifestSchema = ({ partition, equalityIdType = 'int' }: WrittenTable) => ({
  type: 'record',
  name: 'manifest_entry',
  fields: [
    field(0, 'status', 'int'),
    field(1, 'snapshot_id', optional('long')),
    field(3, 'sequence_number', optional('long')),
    field(4, 'file_sequence_number', optional('long')),
    field(2, 'data_file', {
      type: 'record',
      name: 'r2',
      fields: [
        field(134, 'content', 'int'),
        field(100, 'file_path', 'string'),
        field(101, 'file_format', 'string'),
        field(102, 'partition', {
          type: 'record',
          name: 'r102',
          fields: partition === undefined ? [] : [field(1000, 'part', optional(partition.avro))],
        }),
        field(103, 'record_count', 'long'),
        field(104, 'file_size_in_bytes', 'long'),
        field(110, 'null_value_counts', pairs('k121_v122', 'long')),
        field(125, 'lower_bounds', pairs('k126_v127', 'bytes')),
        field(128, 'upper_bounds', pairs('k129_v130', 'bytes')),
        field(135, 'equality_ids', optional({ type: 'array', items: equalityIdType })),
        field(143, 'referenced_data_file', optional('string')),
        field(144, 'content_offset', optional('long')),
        field(145, 'content_size_in_bytes', optional('long')),
      ],
    }),
  ],
});

const LIST_SCHEMA = {
  type: 'record',
  name: 'manifest_file',
  fields: [
    field(500, 'manifest_path', 'string'),
    field(501, 'manifest_length', 'long'),
    field(502, 'partition_spec_id', 'int'),
    field(517, 'content', 'int'),
    field(515, 'sequence_number', 'long'),
    field(503, 'added_snapshot_id', 'long'),
    field(504, 'added_files_count', 'int'),
    field(505, 'existing_files_count', 'int'),
    field(
      507,
      'partitions',
      optional({
        type: 'array',
        items: {
          type: 'record',
          name: 'r508',
          fields: [
            field(509, 'contains_null', 'boolean'),
            field(510, 'lower_bound', optional('bytes')),
            field(511, 'upper_bound', optional('bytes')),
          ],
        },
      }),
    ),
  ],
};

const LONG = avsc.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => bytes.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(value));
    return bytes;
  },
  fromJSON: BigInt,
  toJSON: String,
  isValid: (value: unknown) => typeof value === 'bigint' || typeof value === 'number',
  compare: () => 0,
});

/** Logical types in schemas, without which avsc does not write their names. Values are those of the underlying type. */
class Annotated extends avsc.types.LogicalType {
  protected override _fromValue(value: unknown) {
    return value;
  }
  protected override _toValue(value: unknown) {
    return value;
  }
}
const LOGICAL_TYPES = ['map', 'date', 'time-micros', 'timestamp-micros', 'decimal', 'uuid'];

async function avro(path: string, schema: object, records: readonly unknown[]): Promise<void> {
  const options = {
    wrapUnions: 'never',
    registry: { long: LONG },
    logicalTypes: Object.fromEntries(LOGICAL_TYPES.map((name) => [name, Annotated])),
  };
  const type = avsc.Type.forSchema(schema as avsc.Schema, options as unknown as avsc.ForSchemaOptions);
  const encoder = new avsc.streams.BlockEncoder(type, { codec: 'deflate' });
  await pipeline(Readable.from(records), encoder, createWriteStream(path));
}

export interface WrittenTable {
  readonly directory: string;
  /** What the metadata says of the table besides its snapshots. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly commits: readonly WrittenCommit[];
  /** The Avro type of the partition field, and how its bounds are written; without that, they are not. */
  readonly partition?: { readonly avro: unknown; bytes?(value: unknown): Buffer };
  /** The Avro type of the ids of columns by which rows are deleted; the specification says `int`, which is the default. */
  readonly equalityIdType?: 'int' | 'long';
  /** The location in the metadata; by default, the directory. */
  readonly location?: string;
  /** The folder that the metadata names in the paths of files; by default, the location. */
  readonly paths?: string;
}

/** Writes the metadata of an Iceberg table of format version 2 around data files, as the specification says. */
export async function writeIceberg(table: WrittenTable): Promise<void> {
  const { directory, metadata, commits, partition, location = directory, paths = location } = table;
  await mkdir(join(directory, 'metadata'), { recursive: true });
  const snapshots: object[] = [];
  const manifests: object[] = [];
  for (const [i, { snapshot, time, files }] of commits.entries()) {
    for (const isOfDeletes of [false, true]) {
      const listed = files.filter(({ content = 0 }) => content > 0 === isOfDeletes);
      if (listed.length === 0) continue;
      const name = `metadata/${i}-${isOfDeletes ? 'deletes' : 'data'}.avro`;
      const entries = await Promise.all(listed.map((file) => entryOf(table, snapshot, file)));
      await avro(join(directory, name), manifestSchema(table), entries);
      const values = listed
        .map((file) => file.partition)
        .filter((value) => value !== null && value !== undefined);
      const { bytes } = partition ?? {};
      const bounds = bytes && values.map((value) => bytes(value)).sort(Buffer.compare);
      manifests.push({
        manifest_path: `${paths}/${name}`,
        manifest_length: (await stat(join(directory, name))).size,
        partition_spec_id: 0,
        content: isOfDeletes ? 1 : 0,
        sequence_number: i + 1,
        added_snapshot_id: snapshot,
        added_files_count: listed.length,
        existing_files_count: 0,
        partitions:
          bounds === undefined
            ? null
            : [
                {
                  contains_null: listed.some((file) => file.partition === null),
                  lower_bound: bounds[0] ?? null,
                  upper_bound: bounds.at(-1) ?? null,
                },
              ],
      });
    }
    const list = `metadata/snap-${snapshot}.avro`;
    await avro(join(directory, list), LIST_SCHEMA, manifests);
    snapshots.push({
      'snapshot-id': snapshot,
      'sequence-number': i + 1,
      'timestamp-ms': time,
      'manifest-list': `${paths}/${list}`,
      'schema-id': 0,
      summary: { operation: 'append' },
    });
  }
  const document = {
    'format-version': 2,
    'table-uuid': '9c12d441-03fe-4693-9a96-a0705ddf69c1',
    location,
    'last-sequence-number': commits.length,
    'current-snapshot-id': commits.at(-1)?.snapshot ?? -1,
    snapshots,
    'snapshot-log': commits.map(({ snapshot, time }) => ({ 'snapshot-id': snapshot, 'timestamp-ms': time })),
    ...metadata,
  };
  // Ids of snapshots need 64 bits, which JSON has and JavaScript's numbers have not.
  const text = JSON.stringify(document, (_, value) => (typeof value === 'bigint' ? `#${value}` : value));
  const json = text.replace(/"#(\d+)"/g, '$1');
  await writeFile(join(directory, `metadata/0000${commits.length}-aa.gz.metadata.json`), gzipSync(json));
}

async function entryOf(
  { directory, location = directory, paths = location }: WrittenTable,
  snapshot: bigint,
  file: WrittenFile,
) {
  const { path, rows, content = 0, partition, nulls, low, high, equalityIds = null, vector } = file;
  const map = (list: readonly (readonly [number, unknown])[] | undefined) =>
    list?.map(([key, value]) => ({ key, value })) ?? null;
  return {
    status: 1,
    snapshot_id: snapshot,
    sequence_number: null,
    file_sequence_number: null,
    data_file: {
      content,
      file_path: `${paths}/${path}`,
      file_format: vector === undefined ? 'PARQUET' : 'puffin',
      partition: partition === undefined ? {} : { part: partition },
      record_count: rows,
      file_size_in_bytes: (await stat(join(directory, path))).size,
      null_value_counts: map(nulls),
      lower_bounds: map(low),
      upper_bounds: map(high),
      equality_ids: equalityIds,
      referenced_data_file: vector === undefined ? null : `${paths}/${vector.of}`,
      content_offset: vector?.offset ?? null,
      content_size_in_bytes: vector?.bytes ?? null,
    },
  };
}
