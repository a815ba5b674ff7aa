import { fail } from '@tessera/common';
import { quoteText } from '@tessera/kernel';
import type { ExternalReader } from '@tessera/object-store';
import { type FileBounds, fileFilter } from '@tessera/tablet';
import type { TableColumn } from '../file-scan.ts';
import { mapInTurns } from '../map-in-turns.ts';
import { chooseFiles } from '../table/choose-files.ts';
import type { ChosenFiles, DataFile, FileTable, Filters, TableCall } from '../table/file-table.ts';
import { parseMetadata, storeUrl, storeUrlWithin } from '../table/read-metadata.ts';
import type { TableServices } from '../table/table-services.ts';
import { IcebergDeletes } from './deletes.ts';
import { type Manifest, type ManifestEntry, readManifest, readManifestList } from './manifests.ts';
import {
  chosenSnapshot,
  type IcebergField,
  type IcebergMetadata,
  icebergMetadata,
  type PartitionField,
  type SnapshotChoice,
  schemaAt,
} from './metadata.ts';
import { fieldIds, kernelType } from './types.ts';
import { avroText, bytesText, sourceRange } from './values.ts';

/** The URL is that of the folder of the table, or of one of its metadata files. */
export interface IcebergCall extends TableCall, SnapshotChoice {
  /** Whether files are looked for in the folder of the table, wherever the metadata says it is. */
  readonly allowsMoved: boolean;
}

const MANIFESTS_AT_ONCE = 8;
const BYTES_PER_FILE = 1 << 20;

/**
 * An Iceberg table at a snapshot.
 * @throws TesseraError BAD_FILE, FILE_NOT_FOUND, NOT_SUPPORTED, INVALID_ARGUMENT, EXTERNAL_READ_FAILED
 */
export async function icebergTable(call: IcebergCall, services: TableServices): Promise<FileTable> {
  const { external, signal } = services;
  const { url, credentials } = call;
  const withReader = <T>(work: (reader: ExternalReader) => Promise<T>, until = signal): Promise<T> =>
    external.withReader(url, { signal: until, credentials }, work);
  const { file, metadata } = await withReader((reader) => icebergMetadata(reader, url));
  const locate = locator(metadata, file, call);
  const snapshot = chosenSnapshot(metadata, call, url);
  const isNow = call.id === undefined && call.time === undefined;
  const fields = distinctNames(schemaAt(metadata, isNow ? undefined : snapshot, file).fields);
  const names = nameMapping(metadata, file);
  const columns = fields.map((field) => tableColumn(field, names, file));
  const manifests =
    snapshot === undefined ? [] : await withReader((reader) => readManifestList(reader, snapshot, locate));
  const partitions = new PartitionFields(metadata, fields);
  const known = new Map<string, Promise<readonly ManifestEntry[]>>();
  const entriesOf = (reader: ExternalReader, manifest: Manifest) => {
    const entries = known.get(manifest.url) ?? readManifest(reader, manifest, locate);
    known.set(manifest.url, entries);
    return entries;
  };
  const choose = (filters: Filters, until: AbortSignal): Promise<ChosenFiles> =>
    withReader(async (reader) => {
      const passes = fileFilter(columns, filters);
      const ofData = manifests.filter(({ isOfDeletes }) => !isOfDeletes);
      const needed = ofData.filter((manifest) => passes((column) => partitions.boundsOf(manifest, column)));
      const read = (list: readonly Manifest[]) =>
        mapInTurns(list, MANIFESTS_AT_ONCE, (manifest) => entriesOf(reader, manifest)).then((all) =>
          all.flat(),
        );
      const entries = await read(needed);
      const deletes = new IcebergDeletes(
        await read(manifests.filter(({ isOfDeletes }) => isOfDeletes)),
        (ids, name) => keyColumns(metadata, ids, name),
        (specId) => partitions.isPartitioned(specId),
      );
      const files = entries.map((entry): DataFile => {
        if (entry.format !== 'parquet')
          fail('NOT_SUPPORTED', { what: `Data files of format ${entry.format}, as ${entry.url},` });
        return {
          file: { url: entry.url, bytes: entry.bytes },
          constants: partitions.constantsOf(entry),
          bounds: boundsOf(entry, fields, partitions),
          deletes: deletes.of(entry, entry.path),
        };
      });
      const chosen = chooseFiles(columns, files, filters);
      const skipped = ofData.filter((manifest) => !needed.includes(manifest));
      const pruned = skipped.reduce((sum, one) => sum + (one.files ?? 0), 0);
      const total = skipped.every((one) => one.files !== undefined) ? files.length + pruned : undefined;
      return { ...chosen, total, prunedByPartition: chosen.prunedByPartition + pruned };
    }, until);
  const { summary = {} } = snapshot ?? {};
  const fileCount = manifests.reduce((sum, { files = 1 }) => sum + files, 0);
  const bytes = Number(summary['total-files-size'] ?? fileCount * BYTES_PER_FILE);
  const rows = Number(summary['total-records'] ?? bytes / 100);
  return { url, credentials, columns, rows, bytes, isShared: external.isObjectUrl(url), choose };
}

/** Translates URLs of the metadata to those of the files. */
function locator(
  { location }: IcebergMetadata,
  file: string,
  { allowsMoved, within }: IcebergCall,
): (url: string) => string {
  const permitted = storeUrlWithin(within);
  if (!allowsMoved) return permitted;
  const plain = (url: string) => storeUrl(url).replace(/^\.\//, '');
  const base = `${plain(location).replace(/\/$/, '')}/`;
  const folder = `${file.replace(/\/[^/]*$/, '').replace(/\/metadata$/, '')}/`;
  return (url) => {
    const path = plain(url);
    if (path.startsWith(base)) return permitted(folder + path.slice(base.length));
    // Some writers give relative paths, which do not begin with the location.
    const relative = /^(?!\/|[a-z0-9]+:).*\/((?:metadata|data)\/.*)$/i.exec(path)?.[1];
    return permitted(relative === undefined ? path : folder + relative);
  };
}

/** SQL does not distinguish names by the case of letters, Iceberg does. */
function distinctNames(fields: readonly IcebergField[]): readonly IcebergField[] {
  const taken = new Set<string>();
  return fields.map((field) => {
    let name = field.name;
    for (let n = 1; taken.has(name.toLowerCase()); n++) name = `${field.name}_${n}`;
    taken.add(name.toLowerCase());
    return name === field.name ? field : { ...field, name };
  });
}

function tableColumn(
  field: IcebergField,
  names: ReadonlyMap<number, readonly string[]>,
  file: string,
): TableColumn {
  const { id, name, type, 'initial-default': initial } = field;
  return {
    name,
    type: kernelType(type, `column ${name} of ${file}`),
    field: fieldIds(field),
    storedNames: names.get(id),
    absent: initial === undefined || initial === null ? null : quoteText(String(initial)),
  };
}

/** The names of columns in files without field ids, which other programs have written. */
function nameMapping({ properties }: IcebergMetadata, file: string): ReadonlyMap<number, readonly string[]> {
  const text = properties?.['schema.name-mapping.default'];
  if (text === undefined) return new Map();
  const mapping = parseMetadata<readonly { 'field-id'?: number; names: readonly string[] }[]>(
    text,
    `the property schema.name-mapping.default of ${file}`,
  );
  return new Map(
    mapping.flatMap(({ 'field-id': id, names }) => (id === undefined ? [] : [[id, names] as const])),
  );
}

/** The columns by which rows are deleted, also those that the table no longer has. */
function keyColumns(metadata: IcebergMetadata, ids: readonly number[], url: string): readonly TableColumn[] {
  const fields = [...(metadata.schemas ?? []), ...(metadata.schema ? [metadata.schema] : [])].flatMap(
    (schema) => schema.fields,
  );
  return ids.map((id) => {
    const field = fields.findLast((one) => one.id === id);
    if (field !== undefined) return tableColumn(field, new Map(), url);
    return fail('NOT_SUPPORTED', { what: `Deletes by a field inside a struct, as in ${url},` });
  });
}

/** What the values of partition fields say about the columns of the table. */
class PartitionFields {
  readonly #specs = new Map<number, readonly PartitionField[]>();
  readonly #fields: ReadonlyMap<number, IcebergField>;

  constructor(metadata: IcebergMetadata, fields: readonly IcebergField[]) {
    for (const spec of metadata['partition-specs'] ?? []) this.#specs.set(spec['spec-id'], spec.fields);
    if (this.#specs.size === 0) this.#specs.set(0, metadata['partition-spec'] ?? []);
    this.#fields = new Map(fields.map((field) => [field.id, field]));
  }

  isPartitioned(specId: number): boolean {
    return this.#specFields(specId).some(({ transform }) => transform !== 'void');
  }

  /** The values of columns that a file's rows share; files that other programs have written do not contain them. */
  constantsOf({ specId, partition }: ManifestEntry): Readonly<Record<string, string | null>> {
    const constants: Record<string, string | null> = {};
    for (const [i, { transform, field }] of this.#sources(specId).entries()) {
      const value = partition[i];
      if (transform !== 'identity' || field === undefined || value === undefined) continue;
      const text = value === null ? null : avroText(field.type, value);
      if (text !== undefined) constants[field.name] = text;
    }
    return constants;
  }

  /** Bounds of a column from the values of a file's partition. */
  boundsIn({ specId, partition }: ManifestEntry, column: string): FileBounds | undefined {
    for (const [i, { transform, field }] of this.#sources(specId).entries()) {
      if (field?.name !== column) continue;
      const value = partition[i];
      if (value === undefined || transform === 'void') continue;
      if (value === null) return { someNull: true, allNull: true };
      const range = sourceRange(transform, field.type, value, value);
      if (range !== undefined) return { ...range, someNull: false, allNull: false };
    }
    return undefined;
  }

  /** Bounds of a column in all files of a manifest. */
  boundsOf({ specId, partitions }: Manifest, column: string): FileBounds | undefined {
    for (const [i, { transform, field }] of this.#sources(specId).entries()) {
      const summary = partitions?.[i];
      if (summary === undefined || field?.name !== column) continue;
      const { low, high, someNull } = summary;
      if (low === undefined || high === undefined) continue;
      const range = sourceRange(transform, field.type, low, high);
      if (range !== undefined) return { ...range, someNull, allNull: false };
    }
    return undefined;
  }

  /** The fields of a spec with the columns of primitive types that they are made of. */
  #sources(specId: number) {
    return this.#specFields(specId).map((field) => {
      const source = this.#fields.get(field['source-id']);
      const isPrimitive = typeof source?.type === 'string';
      return {
        transform: field.transform,
        field: isPrimitive ? { name: source.name, type: source.type as string } : undefined,
      };
    });
  }

  #specFields(specId: number): readonly PartitionField[] {
    return this.#specs.get(specId) ?? [];
  }
}

/** The bounds of all columns in a data file. */
function boundsOf(
  entry: ManifestEntry,
  fields: readonly IcebergField[],
  partitions: PartitionFields,
): Readonly<Record<string, FileBounds>> {
  const bounds: Record<string, FileBounds> = {};
  for (const { id, name, type } of fields) {
    if (typeof type !== 'string') continue;
    const { nulls, nans, low, high, rows } = entry;
    const count = nulls.get(id);
    const text = (bytes: Buffer | undefined) => bytes && bytesText(type, bytes);
    // NaN is the largest value to the kernel, but not a part of the bounds.
    const mayBeNaN = (type === 'float' || type === 'double') && nans.get(id) !== 0;
    const [min, max] = [text(low.get(id)), mayBeNaN ? undefined : text(high.get(id))];
    const found = { min, max, someNull: count !== 0, allNull: count === rows };
    const isKnown = min !== undefined || max !== undefined || count !== undefined;
    const known = isKnown ? found : partitions.boundsIn(entry, name);
    if (known !== undefined) bounds[name] = known;
  }
  return bounds;
}
