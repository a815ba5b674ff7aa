import { writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { fail } from '@tessera/common';
import { literalPath, quoteName, quoteText } from '@tessera/kernel';
import type { ExternalReader, ListedFile } from '@tessera/object-store';
import { mapInTurns } from '../map-in-turns.ts';
import { parseMetadata, readMetadata } from '../table/read-metadata.ts';
import type { TableServices } from '../table/table-services.ts';
import type { AddFile, DeltaState, LogAction, Protocol, TableMetadata } from './log-actions.ts';

/** Chooses the version to read; by default, the latest one. */
export interface VersionChoice {
  readonly version?: string | undefined;
  /** The time whose current version is read. */
  readonly time?: Date | undefined;
}

const FILES_AT_ONCE = 8;

/**
 * Reads the log of a table: the last complete checkpoint before the version, and the commits since.
 * @param table the folder of the table, without a slash at the end
 * @throws TesseraError FILE_NOT_FOUND, BAD_FILE, INVALID_ARGUMENT
 */
export async function readLog(
  reader: ExternalReader,
  table: string,
  choice: VersionChoice,
  services: TableServices,
): Promise<DeltaState> {
  const log = new LogFiles(await reader.list(`${table}/_delta_log/*`), table);
  const version = await chosenVersion(reader, log, choice, table);
  const checkpoint = log.checkpoints.filter((one) => one.version <= version).at(-1);
  const first = checkpoint === undefined ? 0 : checkpoint.version + 1;
  const commits = Array.from({ length: version - first + 1 }, (_, i) => log.commit(first + i));
  const state = new Replay();
  if (checkpoint !== undefined)
    for (const file of checkpoint.files)
      for (const action of await checkpointActions(reader, file, table, services)) state.apply(action);
  const read = await mapInTurns(commits, FILES_AT_ONCE, (url) => commitActions(reader, url));
  for (const actions of read) for (const action of actions) state.apply(action);
  return state.at(version, table);
}

interface Checkpoint {
  readonly version: number;
  readonly files: readonly string[];
}

/** The files of a log by their names. */
class LogFiles {
  /** Complete checkpoints in the order of their versions. */
  readonly checkpoints: readonly Checkpoint[];
  readonly #commits = new Map<number, ListedFile>();
  readonly #table: string;

  constructor(files: readonly ListedFile[], table: string) {
    this.#table = table;
    const parts = new Map<string, { version: number; parts: number; files: string[] }>();
    for (const file of files) {
      const { url } = file;
      const name = url.slice(url.lastIndexOf('/') + 1);
      const commit = /^(\d{20})\.json$/.exec(name);
      if (commit !== null) this.#commits.set(Number(commit[1]), file);
      const checkpoint =
        /^(\d{20})\.checkpoint(?:\.\d{10}\.(\d{10}))?(?:\.[0-9a-f-]{36})?\.(?:parquet|json)$/.exec(name);
      if (checkpoint === null) continue;
      const [, version = '', count = '1'] = checkpoint;
      const key = count === '1' ? name : `${version}.${count}`;
      const known = parts.get(key) ?? { version: Number(version), parts: Number(count), files: [] };
      known.files.push(url);
      parts.set(key, known);
    }
    if (files.length === 0)
      fail('FILE_NOT_FOUND', {
        url: table,
        hint: 'there is no file _delta_log/*, so it is not the folder of a Delta Lake table',
      });
    this.checkpoints = [...parts.values()]
      .filter((one) => one.files.length === one.parts)
      .sort((a, b) => a.version - b.version);
  }

  get latest(): number {
    return Math.max(...this.#commits.keys(), this.checkpoints.at(-1)?.version ?? -1);
  }

  /** The oldest version that can be read, and later ones. */
  get oldest(): number {
    return this.#commits.has(0) ? 0 : (this.checkpoints[0]?.version ?? 0);
  }

  /** @throws TesseraError BAD_FILE if the commit is missing */
  commit(version: number): string {
    const found = this.#commits.get(version);
    if (found !== undefined) return found.url;
    const name = `${this.#table}/_delta_log`;
    return fail('BAD_FILE', { name, reason: `the commit of version ${version} is missing` });
  }

  modifiedAt(version: number): Date | undefined {
    return this.#commits.get(version)?.modifiedAt;
  }

  has(version: number): boolean {
    return this.#commits.has(version);
  }
}

async function chosenVersion(
  reader: ExternalReader,
  log: LogFiles,
  { version, time }: VersionChoice,
  table: string,
): Promise<number> {
  const { oldest, latest } = log;
  if (version !== undefined) {
    if (Number(version) >= oldest && Number(version) <= latest) return Number(version);
    const message = `${table} has no version ${version}: its log has the versions ${oldest} to ${latest}`;
    return fail('INVALID_ARGUMENT', { message });
  }
  if (time === undefined) return latest;
  let [low, high] = [oldest, latest];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((await timeOf(reader, log, middle)) <= time.getTime()) low = middle;
    else high = middle - 1;
  }
  const first = await timeOf(reader, log, low);
  if (first <= time.getTime()) return low;
  const message = `${table} had no version at ${time.toISOString()}: the first one in its log is of ${new Date(first).toISOString()}`;
  return fail('INVALID_ARGUMENT', { message });
}

/** The time of a commit: the one that it states itself, or the time at which its file was written. */
async function timeOf(reader: ExternalReader, log: LogFiles, version: number): Promise<number> {
  if (!log.has(version)) return 0;
  const actions = await commitActions(reader, log.commit(version));
  const stated = actions.find(({ commitInfo }) => commitInfo)?.commitInfo?.inCommitTimestamp;
  return stated ?? log.modifiedAt(version)?.getTime() ?? 0;
}

async function commitActions(reader: ExternalReader, url: string): Promise<readonly LogAction[]> {
  const text = (await readMetadata(reader, url)).toString('utf8');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, i) => parseMetadata<LogAction>(line, `line ${i + 1} of ${url}`));
}

/** The columns of a checkpoint that matter. */
const ACTIONS = ['protocol', 'metaData', 'add', 'sidecar'];

async function checkpointActions(
  reader: ExternalReader,
  url: string,
  table: string,
  services: TableServices,
): Promise<readonly LogAction[]> {
  const actions = url.endsWith('.json')
    ? await commitActions(reader, url)
    : await parquetActions(reader, url, services);
  const more = actions.flatMap(({ sidecar }) => (sidecar ? [sidecar.path] : []));
  const rest = await mapInTurns(more, 1, (path) =>
    parquetActions(reader, `${table}/_delta_log/_sidecars/${sidecarName(path)}`, services),
  );
  return [...actions, ...rest.flat()];
}

/** Sidecars are in one folder, whether or not their path names it. */
const sidecarName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The kernel reads checkpoints, because it can read Parquet. */
async function parquetActions(
  reader: ExternalReader,
  url: string,
  { session, directory }: TableServices,
): Promise<readonly LogAction[]> {
  let path = url;
  if (!isAbsolute(url)) {
    path = join(await directory(), `checkpoint-${crypto.randomUUID()}`);
    await writeFile(path, await readMetadata(reader, url), { mode: 0o600 });
  }
  const scan = `read_parquet(${quoteText(literalPath(path))}, hive_partitioning = false)`;
  const { columns } = await session.describe(`SELECT * FROM ${scan}`);
  const actions: LogAction[] = [];
  for (const { name } of columns.filter((column) => ACTIONS.includes(column.name))) {
    const column = quoteName(name);
    const sql = `SELECT concat(to_json(${column}), chr(10)) FROM ${scan} WHERE ${column} IS NOT NULL`;
    const { batches } = await session.query(sql, []);
    let text = '';
    for await (const batch of batches) text += Buffer.from(batch.textColumn(0)).toString('utf8');
    for (const line of text.split('\n'))
      if (line !== '') actions.push({ [name]: parseMetadata(line, url) } as LogAction);
  }
  return actions;
}

/** Collects the state that the actions lead to. */
class Replay {
  readonly #files = new Map<string, AddFile>();
  #protocol: Protocol | undefined;
  #metadata: TableMetadata | undefined;

  apply({ protocol, metaData, add, remove }: LogAction): void {
    if (protocol) this.#protocol = protocol;
    if (metaData) this.#metadata = metaData;
    if (remove) this.#files.delete(keyOf(remove));
    if (add) this.#files.set(keyOf(add), add);
  }

  at(version: number, table: string): DeltaState {
    const [protocol, metadata] = [this.#protocol, this.#metadata];
    if (protocol === undefined || metadata === undefined) {
      const missing = protocol === undefined ? 'protocol' : 'metaData';
      return fail('BAD_FILE', { name: `${table}/_delta_log`, reason: `it has no action "${missing}"` });
    }
    return { version, protocol, metadata, files: [...this.#files.values()] };
  }
}

/** A file may be added again with other deleted rows. */
const keyOf = ({ path, deletionVector }: Pick<AddFile, 'path' | 'deletionVector'>): string =>
  deletionVector
    ? `${path} ${deletionVector.storageType}${deletionVector.pathOrInlineDv}@${deletionVector.offset ?? 0}`
    : path;
