import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, TesseraError } from '@tessera/common';
import {
  type CsvInference,
  type FilesToPlan,
  type PlannedScan,
  planFiles,
  type SharedFiles,
  writeStandIn,
} from '@tessera/file-scan';
import type { KernelSession } from '@tessera/kernel';
import type { ExternalSources, ListedFile, ObjectCredentials } from '@tessera/object-store';
import { INFERRED_ROWS, inferredFormats, nullTexts, type ReadCall, type SourceFile } from '@tessera/sql';
import type { RequestDirectory } from '../request/statement-request.ts';

export const UPLOAD_SCHEME = 'upload://';

export const isUpload = (url: string): boolean => url.toLowerCase().startsWith(UPLOAD_SCHEME);

/** The maximum size of a download, which is kept on the node's disk; uploads have their own limit. */
export const MAX_DOWNLOAD_BYTES = 10_000_000_000;

export interface FilePartsScope {
  readonly session: KernelSession;
  readonly external: ExternalSources;
  readonly directory: RequestDirectory;
  readonly shared: SharedFiles;
  readonly leastBytes: number;
  readonly signal: AbortSignal;
}

/** Files of one READ_* call, as the statement is bound to them. */
export interface BoundParts {
  readonly scanId: string;
  readonly files: readonly SourceFile[];
  /** A short file with the columns of the first one, for formats that this node loads into a table. */
  readonly columns: string;
}

/** The files of one READ_* call that nodes may read in parts. */
interface FilesInParts {
  readonly scan: PlannedScan;
  readonly call: Pick<ReadCall, 'url' | 'options'>;
  readonly files: readonly (ListedFile & SourceFile)[];
  /** Whether their contents are on this node. */
  isHere: boolean;
}

/**
 * The files of a statement that nodes may read in parts. While the statement is bound, short placeholder
 * files with the same columns represent objects. If it turns out that this node reads them alone, the objects
 * are downloaded to the same paths.
 */
export class FileParts {
  readonly #scope: FilePartsScope;
  readonly #scans = new Map<string, FilesInParts>();
  readonly #shared: { release(): void }[] = [];

  constructor(scope: FilePartsScope) {
    this.#scope = scope;
  }

  /** Undefined if the files must be read whole. Invalid files are only reported when they are read. */
  async plan(
    call: ReadCall,
    unionByName: boolean,
    upload: () => SourceFile,
  ): Promise<BoundParts | undefined> {
    const format = formatOf(call, unionByName, (head) => this.#formats(call, head));
    if (format === undefined || call.namesFiles === true) return undefined;
    try {
      return isUpload(call.url)
        ? await this.#upload(call, format, upload())
        : await this.#objects(call, format);
    } catch (error) {
      if (this.#scope.signal.aborted || !(error instanceof TesseraError)) throw error;
      return undefined;
    }
  }

  planned(scanId: string): PlannedScan {
    return this.#scans.get(scanId)!.scan;
  }

  /**
   * Downloads the files' contents to the paths that the statement uses. @throws TesseraError
   * EXTERNAL_READ_FAILED, FILE_TOO_LARGE
   */
  async fetch(): Promise<void> {
    const { external, signal } = this.#scope;
    for (const scan of this.#scans.values()) {
      if (scan.isHere) continue;
      const { call, files } = scan;
      const large = files.find(({ bytes }) => bytes > MAX_DOWNLOAD_BYTES);
      if (large !== undefined) fail('FILE_TOO_LARGE', { name: large.url, limitBytes: MAX_DOWNLOAD_BYTES });
      for (const { path } of files) await rm(path, { force: true });
      await external.downloadListed(call.url, files, { signal, credentials: credentialsOf(call) });
      scan.isHere = true;
    }
  }

  release(): void {
    for (const file of this.#shared.splice(0)) file.release();
  }

  async #objects(call: ReadCall, format: FilesToPlan['format']) {
    const { external, directory, leastBytes, signal } = this.#scope;
    if (!external.isObjectUrl(call.url)) return undefined;
    const { url } = call;
    const credentials = credentialsOf(call);
    const listed = await external.list(url, { signal, credentials });
    if (!isUniform(listed, format) || sizeOf(listed) < leastBytes) return undefined;
    const plan = await planFiles({ url, credentials, files: listed, format }, this.#scope, signal);
    if (plan === undefined) return undefined;
    const target = await directory.open();
    const files = listed.map((file) => ({ ...file, path: external.downloadPath(target, file) }));
    for (const [i, { path }] of files.entries()) await writeStandIn(path, plan.standIns.get(i));
    return this.#add({ scan: plan.scan, call, files, isHere: false }, files[0]!.path);
  }

  async #upload(call: ReadCall, format: FilesToPlan['format'], file: SourceFile) {
    const { shared, leastBytes, signal } = this.#scope;
    if (file.bytes < leastBytes || !isUniform([file], format)) return undefined;
    const { id, release } = shared.share(file.path);
    this.#shared.push({ release });
    const { url } = call;
    const files = [{ url, bytes: file.bytes, sharedId: id }];
    const plan = await planFiles({ url, sharedBy: shared.address, files, format }, this.#scope, signal);
    if (plan === undefined) return undefined;
    const columns = join(await this.#scope.directory.open(), `columns-${id}`);
    await writeStandIn(columns, plan.standIns.get(0));
    return this.#add({ scan: plan.scan, call, files: [file], isHere: true }, columns);
  }

  /** The formats of dates and times that the kernel finds in the beginning of a CSV file. */
  async #formats(call: ReadCall, head: Buffer): Promise<readonly string[]> {
    const { directory, session } = this.#scope;
    const path = join(await directory.open(), `head-${randomUUID()}`);
    await writeFile(path, head, { mode: 0o600 });
    try {
      return await inferredFormats(
        { ...call, options: { ...call.options, compression: 'none' } },
        path,
        session,
      );
    } finally {
      await rm(path, { force: true });
    }
  }

  #add(scan: FilesInParts, columns: string): BoundParts {
    const scanId = randomUUID().replaceAll('-', '');
    this.#scans.set(scanId, scan);
    return { scanId, files: scan.files, columns };
  }
}

/** The arguments of a call with the credentials of the store. */
export const credentialsOf = ({ options }: Pick<ReadCall, 'options'>): ObjectCredentials =>
  Object.fromEntries(
    Object.entries(options).filter(([name]) => /^(?:aws|google|azure)_|^endpoint$/.test(name)),
  );

const sizeOf = (files: readonly Pick<ListedFile, 'bytes'>[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * Whether all files have the same compression. Mixed compression is recognised by file names, which parts of
 * files do not have.
 */
const isUniform = (files: readonly Pick<ListedFile, 'url'>[], format: FilesToPlan['format']): boolean =>
  format.kind !== 'csv' ||
  format.compression !== 'none' ||
  files.every(({ url }) => !/\.(?:gz|zst)$/i.test(url));

/** The files of a scan from which the kernel infers the types of CSV. */
const INFERRED_FILES = 10;

/** The formats that can be read in parts, with options under which parts give the same rows. */
function formatOf(
  call: ReadCall,
  unionByName: boolean,
  formats: CsvInference['formats'],
): FilesToPlan['format'] | undefined {
  if (call.function === 'read_parquet') return { kind: 'parquet', unionByName };
  if (call.function === 'read_avro') return { kind: 'avro' };
  if (call.function !== 'read_csv') return undefined;
  const { options, url } = call;
  if (options.null_padding === true) return undefined;
  const { quote = '"', delimiter = /\.tsv(?:\.\w+)?$/i.test(url) ? '\t' : ',' } = options;
  const named = /\.gz$/i.test(url) ? 'gzip' : /\.zst$/i.test(url) ? 'zstd' : 'none';
  const { compression = named } = options;
  if (compression !== 'none' && compression !== 'gzip' && compression !== 'zstd') return undefined;
  return {
    kind: 'csv',
    delimiter,
    quote,
    escape: options.escape ?? quote,
    hasHeader: options.header === true,
    compression,
    nulls: nullTexts(options),
    inference:
      options.infer_schema === true ? { records: INFERRED_ROWS, files: INFERRED_FILES, formats } : undefined,
  };
}
