import { TesseraError } from '@tessera/common';
import type { Kernel, KernelSession, KernelType } from '@tessera/kernel';
import type { OutputShape, StoredOutput, TaskKey } from '../shuffle.ts';
import { exhaustedSpace } from '../space.ts';
import { typesNamed } from '../types/named-types.ts';
import { measureOutput } from './output-size.ts';
import { columnCount, createOutputSql, outputTable, storedType } from './output-table.ts';

/** An output that is ready to be read. */
export interface KeptOutput extends StoredOutput {
  readonly key: TaskKey;
  readonly table: string;
  /** Of the kernel process that has it. */
  readonly processId: string;
  /** Of its columns, the bucket aside. */
  readonly types: readonly KernelType[];
  /** Aborted when it is released. */
  readonly released: AbortSignal;
}

interface Entry {
  readonly key: TaskKey;
  readonly table: string;
  readonly processId: string;
  readonly release: AbortController;
  output?: KeptOutput;
}

export interface KeptOutputsOptions {
  readonly kernel: Kernel;
  readonly node: string;
  /** For tests: buckets as another kernel would have them. */
  readonly disturbedHash: boolean;
}

/** The outputs of this node: tables of the kernel, each until it is released. */
export class KeptOutputs {
  readonly #options: KeptOutputsOptions;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(options: KeptOutputsOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  find(key: TaskKey): KeptOutput | undefined {
    return this.#entries.get(outputTable(key))?.output;
  }

  async store(key: TaskKey, session: KernelSession, sql: string, shape: OutputShape): Promise<StoredOutput> {
    const table = outputTable(key);
    if (this.#entries.has(table)) throw new Error(`The output ${table} exists already`);
    const { processId } = session;
    const entry: Entry = { key, table, processId, release: new AbortController() };
    this.#entries.set(table, entry);
    try {
      const output = await this.#make(entry, session, sql, shape);
      entry.output = output;
      this.#bytes += output.bytes;
      const { rows, bytes, bucketRows } = output;
      return { rows, bytes, bucketRows };
    } catch (error) {
      if (this.#entries.get(table) === entry) this.#entries.delete(table);
      throw error;
    }
  }

  async #make(entry: Entry, session: KernelSession, sql: string, shape: OutputShape): Promise<KeptOutput> {
    const { key, table, processId, release } = entry;
    try {
      await session.change(createOutputSql(table, sql, shape, this.#options.disturbedHash));
    } catch (error) {
      throw exhaustedSpace(error, this.#options.node);
    }
    try {
      const types = await storedTypes(session, shape);
      const size = await measureOutput(session, table, types, shape.hashKeys.length > 0);
      if (release.signal.aborted) throw released();
      return { key, table, processId, types, released: release.signal, ...size };
    } catch (error) {
      await this.#drop([entry]);
      throw error;
    }
  }

  async release(chosen: (key: TaskKey) => boolean): Promise<void> {
    const ready: Entry[] = [];
    for (const [table, entry] of this.#entries) {
      if (!chosen(entry.key)) continue;
      this.#entries.delete(table);
      entry.release.abort(released());
      // What is still being made is dropped by its maker.
      if (entry.output === undefined) continue;
      this.#bytes -= entry.output.bytes;
      ready.push(entry);
    }
    await this.#drop(ready);
  }

  /** Tables of a process that has ended are gone with it. */
  async #drop(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return;
    let session: KernelSession;
    try {
      session = await this.#options.kernel.session();
    } catch {
      return;
    }
    try {
      const there = entries.filter(({ processId }) => processId === session.processId);
      const drops = there.map(({ table }) => `DROP TABLE IF EXISTS ${table}`);
      if (drops.length > 0) await session.change(drops.join(';'));
    } catch (error) {
      if (!(error instanceof TesseraError) || error.name !== 'KERNEL_LOST') throw error;
    } finally {
      await session.close();
    }
  }
}

async function storedTypes(session: KernelSession, shape: OutputShape): Promise<KernelType[]> {
  const texts = Array.from({ length: columnCount(shape) }, (_, i) => storedType(shape, i));
  const named = await typesNamed(
    session,
    texts.filter((text) => text !== undefined),
  );
  return texts.map((text) => (text === undefined ? UNTYPED : named.get(text)!));
}

/** What the kernel makes of a column of untyped NULLs. */
const UNTYPED: KernelType = { id: 'INTEGER' };

const released = () =>
  TesseraError.of('QUERY_CANCELLED', { reason: 'what it left for other nodes was released' });
