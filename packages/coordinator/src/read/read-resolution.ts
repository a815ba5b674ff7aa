import { open, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { TesseraError } from '@tessera/common';
import type { PlannedScan, SharedFiles } from '@tessera/file-scan';
import { type KernelSession, literalPath } from '@tessera/kernel';
import type { ExternalSources, ResolvedFile } from '@tessera/object-store';
import { loadArrow, loadAvro, requireComplete } from '@tessera/readers';
import type { ReadArguments, ReadCall, RelationSource, SourceFile } from '@tessera/sql';
import type { ScanTotals } from '@tessera/system-catalog';
import { NOTHING_SCANNED, plus } from '../queries/scan-totals.ts';
import type { RequestDirectory, UploadedFile } from '../request/statement-request.ts';
import {
  type BoundParts,
  credentialsOf,
  FileParts,
  isUpload,
  MAX_DOWNLOAD_BYTES,
  UPLOAD_SCHEME,
} from './file-parts.ts';
import { FileTables, type WantedOfTables } from './file-tables.ts';
import { codecOf, csvFile, type ReadFile } from './read-file.ts';
import { type RecognisedFile, recogniseFile, textSample } from './recognised-file.ts';

const OBJECT_LIST_TYPE = `'[{"object_name": "VARCHAR", "size_in_bytes": "BIGINT", "last_modified": "TIMESTAMPTZ"}]'`;

/** The bytes at the beginning of a CSV file from which its dialect is recognised. */
const SAMPLE_BYTES = 1 << 20;

export interface ReadScope {
  readonly session: KernelSession;
  readonly uploads: ReadonlyMap<string, UploadedFile>;
  readonly external: ExternalSources;
  readonly directory: RequestDirectory;
  /** The conditions under which several nodes read the files; undefined if this node reads them alone. */
  readonly parts: () => FilePartsOptions | undefined;
  readonly signal: AbortSignal;
}

/** The conditions under which several nodes read files in parts. */
export interface FilePartsOptions {
  /** Files that are smaller in total are read by this node. */
  readonly leastBytes: number;
  readonly shared: SharedFiles;
}

/**
 * Resolves the `READ_*` calls of one statement to sources that the kernel can scan, and keeps track of their
 * files.
 */
export class ReadResolution {
  readonly files: ReadFile[] = [];
  /** Whether the statement lists objects. */
  listsObjects = false;
  readonly #scope: ReadScope;
  /** Undefined until a file is read, and if this node reads the files alone. */
  #parts: FileParts | undefined;
  readonly #fileTables: FileTables;
  #tables = 0;
  #samples = 0;
  #isAlone = false;
  /** Tables that have no rows yet, with the files to load into them. */
  readonly #toLoad: { readonly table: string; readonly files: readonly ReadFile[] }[] = [];

  constructor(scope: ReadScope) {
    this.#scope = scope;
    this.#fileTables = new FileTables(scope);
  }

  /** The files that this node reads whole. */
  get filesReadHere(): readonly ReadFile[] {
    const files = this.files.filter(({ isOfTable }) => isOfTable !== true);
    return this.#isAlone ? files : files.filter(({ scanId }) => scanId === undefined);
  }

  /** What this node reads of tables of files. */
  scannedOfTables: ScanTotals = NOTHING_SCANNED;

  /** Whether what was resolved may have changed when the statement is repeated. */
  get isTransient(): boolean {
    return this.files.length > 0 || this.listsObjects || this.#fileTables.areUsed;
  }

  plannedScan(scanId: string): PlannedScan {
    return this.#fileTables.planned(scanId) ?? this.#parts!.planned(scanId);
  }

  /** Fetches the files that other nodes were to read in parts, before this node reads them alone. */
  async readAlone(wanted: WantedOfTables = { scans: undefined, counted: undefined }): Promise<void> {
    await this.#parts?.fetch();
    for (const { csv, scanId, path, label } of this.files) {
      if (csv === undefined || scanId === undefined) continue;
      await requireComplete({ path, label }, csv.shape.compression, this.#scope.signal);
    }
    this.#isAlone = true;
    const { scanned, files } = await this.#fileTables.readAlone(wanted);
    this.scannedOfTables = plus(this.scannedOfTables, scanned);
    this.files.push(...files.map((file) => ({ ...file, isOfTable: true })));
    const { session, signal } = this.#scope;
    for (const { table, files } of this.#toLoad.splice(0)) {
      await session.execute(`DROP TABLE temp.${table}`);
      await loadAvro(session, { files, table, signal });
    }
  }

  /** Releases the files that other nodes may read. */
  release(): void {
    this.#parts?.release();
  }

  /**
   * How to read an upload that FROM names without a function.
   * @throws TesseraError FILE_NOT_FOUND, BAD_FILE
   */
  recognise(url: string): Promise<RecognisedFile> {
    const { url: named, path } = this.#upload(url);
    return recogniseFile({ url: named, path }, this.#scope.session);
  }

  /**
   * The same for a file that is no upload, whose name says its format. The dialect of a CSV file follows from its first
   * lines: if the URL is a pattern, from those of the first file.
   * @throws TesseraError FILE_NOT_FOUND, LOCATION_NOT_ALLOWED, EXTERNAL_READ_FAILED, BAD_FILE
   */
  async recogniseStored(args: ReadArguments): Promise<RecognisedFile> {
    if (args.function !== 'read_csv') return { args, note: undefined };
    const { session, directory } = this.#scope;
    const sample = await textSample(await this.#headOf(args));
    if (sample.length === 0) {
      const options = { header: true, infer_schema: true, ...args.options };
      return { args: { ...args, options }, note: undefined };
    }
    const path = join(await directory.open(), `sample-${this.#samples++}`);
    await writeFile(path, sample);
    const recognised = await recogniseFile({ url: args.url, path }, session, 'read_csv');
    const options = { ...recognised.args.options, ...args.options };
    return { ...recognised, args: { ...args, options } };
  }

  /** The beginning of the first file. */
  async #headOf(call: ReadArguments): Promise<Uint8Array> {
    const { external, signal } = this.#scope;
    const access = { signal, credentials: credentialsOf(call) };
    if (!external.isListed(call.url)) {
      const [file] = await this.#locate({ ...call, location: undefined });
      await using opened = await open(file!.path);
      const { buffer, bytesRead } = await opened.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
      return buffer.subarray(0, bytesRead);
    }
    const [first] = await external.list(call.url, { ...access, limit: 1 });
    if (first === undefined) return new Uint8Array();
    return external.withReader(call.url, access, ({ range }) => range(first, 0, SAMPLE_BYTES));
  }

  /** @throws TesseraError FILE_NOT_FOUND, LOCATION_NOT_ALLOWED, EXTERNAL_READ_FAILED, BAD_FILE */
  async resolve(call: ReadCall, how: { readonly unionByName?: boolean } = {}): Promise<RelationSource> {
    if (call.function === 'list_objects') return this.#list(call);
    const table = how.unionByName === true ? undefined : await this.#fileTables.plan(call);
    if (table !== undefined) return { kind: 'relation', ...table };
    const scan = await this.#openParts()?.plan(call, how.unionByName === true, () => this.#upload(call.url));
    if (scan !== undefined) return this.#inParts(call, scan);
    const files = await this.#locate(call);
    const { function: format } = call;
    if (format !== 'read_avro' && format !== 'read_arrow') {
      const csv = format === 'read_csv' ? csvFile(call) : undefined;
      if (format !== 'read_parquet')
        for (const file of files)
          await requireComplete(file, codecOf(file, call.options), this.#scope.signal);
      this.files.push(...files.map((file) => ({ ...file, format, csv })));
      return { kind: 'files', paths: files.map((f) => literalPath(f.path)), files };
    }
    const load = format === 'read_avro' ? loadAvro : loadArrow;
    const name = `read_${this.#tables++}`;
    this.files.push(...files.map((file) => ({ ...file, format, relation: name })));
    await load(this.#scope.session, { files, table: name, signal: this.#scope.signal });
    return { kind: 'relation', name, files };
  }

  #openParts(): FileParts | undefined {
    if (this.#parts === undefined) {
      const parts = this.#scope.parts();
      this.#parts = parts && new FileParts({ ...this.#scope, ...parts });
    }
    return this.#parts;
  }

  async #inParts(call: ReadCall, { scanId, files: found, columns }: BoundParts): Promise<RelationSource> {
    const { function: format, url } = call;
    const files = found.map((file) => ({ ...file, label: labelOf(file, url, found.length) }));
    if (format !== 'read_avro') {
      const csv = format === 'read_csv' ? csvFile(call) : undefined;
      this.files.push(...files.map((file) => ({ ...file, format, csv, scanId })));
      return { kind: 'files', paths: files.map((f) => literalPath(f.path)), files, scanId };
    }
    const { session, signal } = this.#scope;
    const name = `read_${this.#tables++}`;
    const read = files.map((file) => ({ ...file, format, relation: name, scanId }));
    this.files.push(...read);
    await loadAvro(session, { files: [{ path: columns, label: read[0]!.label }], table: name, signal });
    this.#toLoad.push({ table: name, files: read });
    return { kind: 'relation', name, files, scanId };
  }

  /** Lists names, sizes and times as a table without fetching contents. */
  async #list({ url, options }: ReadCall): Promise<RelationSource> {
    const { external, session, signal } = this.#scope;
    this.listsObjects = true;
    const listed = await external.list(url, { signal, credentials: credentialsOf({ options }) });
    const objects = listed.map((object) => ({
      object_name: object.url,
      size_in_bytes: object.bytes,
      last_modified: object.modifiedAt?.toISOString() ?? null,
    }));
    const name = `read_${this.#tables++}`;
    await session.execute(
      `CREATE TEMP TABLE ${name} AS SELECT unnest(from_json($1::VARCHAR, ${OBJECT_LIST_TYPE}), max_depth := 2)`,
      [JSON.stringify(objects)],
    );
    return { kind: 'relation', name };
  }

  async #locate({ url, options }: ReadCall): Promise<LocatedFile[]> {
    if (isUpload(url)) return [this.#upload(url)];
    const { external, directory, signal } = this.#scope;
    const target = external.downloads(url) ? await directory.open() : '';
    const { files } = await external.resolve(url, {
      directory: target,
      signal,
      maxBytes: MAX_DOWNLOAD_BYTES,
      credentials: credentialsOf({ options }),
    });
    return files.map((file) => ({ ...file, label: labelOf(file, url, files.length) }));
  }

  #upload(url: string): LocatedFile {
    const file = this.#scope.uploads.get(url.slice(UPLOAD_SCHEME.length));
    if (file !== undefined)
      return { label: url, url, path: file.path, bytes: file.bytes, modifiedAt: undefined };
    const names = [...this.#scope.uploads.keys()];
    const hint =
      names.length === 0
        ? 'the request has no file part'
        : `file parts of this request: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`;
    const part = url.slice(UPLOAD_SCHEME.length);
    const resolution = `Send the file with the HTTP request as part ${part}: curl --form ${part}=@FILE, or tessera query -f ${part}=FILE.`;
    throw TesseraError.of('FILE_NOT_FOUND', { url, hint }, { resolution });
  }
}

type LocatedFile = Pick<ReadFile, 'label' | 'path'> & SourceFile;

/**
 * The user-visible name of a file: the URL as written, with the name of the file if the URL matches several.
 */
function labelOf(file: ResolvedFile, url: string, count: number): string {
  return count === 1 ? url : `${url} (${basename(file.url)})`;
}
