import koffi, { type TypeObject } from 'koffi';
import type { ArrayData } from '../arrow/array-data.ts';
import { ImportedBatch } from '../arrow/imported-batch.ts';
import type { ImportedSchema } from '../arrow/imported-schema.ts';
import type { NativeConnection } from '../native/connection.ts';
import { checkErrorData } from '../native/error-data.ts';
import type { Pointer } from '../native/libc.ts';
import { duckdb, NO_RELEASE, takeString } from '../native/library.ts';
import { NativeBlock, slotOf } from '../native/memory.ts';
import { registerTableFunction } from './table-function.ts';

/** The table function that returns the rows of a relation, by its name. */
export const RECEIVED_FUNCTION = 'tessera_received';
/** More threads gain nothing, because one thread hands over all chunks. */
const MAX_THREADS = 64;
/** A scan gives no more rows at once. */
const VECTOR_ROWS = 2048;

const BIND: TypeObject = koffi.proto('void tessera_received_bind(void *info)');
const INIT: TypeObject = koffi.proto('void tessera_received_init(void *info)');
const SCAN: TypeObject = koffi.proto('void tessera_received_scan(void *info, void *output)');

/** Arrow batches in the memory of this process. */
export interface ReceivedRelation {
  readonly imported: ImportedSchema;
  readonly rows: number;
  /** Starts reading at the first batch. The bytes of the batches stay in place until `released` is called. */
  readonly batches: () => Iterator<ReceivedBatch>;
  /** Called when nothing reads the batches any more. */
  readonly released: () => void;
}

interface ReceivedBatch {
  readonly rows: number;
  readonly arrays: readonly ArrayData[];
}

interface Scan {
  readonly relation: ReceivedRelation;
  readonly batches: Iterator<ReceivedBatch>;
  batch: ReceivedBatch | undefined;
  /** The first row of `batch` that was not handed over. */
  next: number;
}

/**
 * Relations that statements read in place, without a table: a scan receives vectors over the bytes of the batches,
 * which are made when the scan reaches them.
 * The kernel calls from its own threads, which wait for the event loop. So while a statement runs, nothing on
 * the event loop may wait for the kernel's threads.
 */
export class ReceivedRows {
  readonly #relations = new Map<string, ReceivedRelation>();
  /** Keyed by the numbers that the kernel stores for us instead of pointers. */
  readonly #bound = new Map<bigint, ReceivedRelation>();
  readonly #scans = new Map<bigint, Scan>();
  /** The rows that all scans of a relation have returned together. */
  readonly #rowsRead = new Map<ReceivedRelation, number>();
  readonly #callbacks: Pointer[] = [];
  #numbers = 0n;
  #connection: NativeConnection | undefined;

  /**
   * Must be called before other connections are made.
   * @param importing a connection that makes chunks while those of the sessions are busy
   */
  install(connection: NativeConnection, importing: NativeConnection): void {
    this.#connection = importing;
    const bind = koffi.register((info: Pointer) => this.#bind(info), koffi.pointer(BIND));
    const init = koffi.register((info: Pointer) => this.#init(info), koffi.pointer(INIT));
    const scan = koffi.register(
      (info: Pointer, output: Pointer) => this.#scan(info, output),
      koffi.pointer(SCAN),
    );
    this.#callbacks.push(bind, init, scan);
    registerTableFunction(connection, RECEIVED_FUNCTION, { bind, init, scan, pushesProjections: false });
  }

  /** Closes the importing connection. */
  async close(): Promise<void> {
    await this.#connection?.close();
  }

  /** Must be called when the database is closed, because it calls the function until then. */
  forget(): void {
    for (const callback of this.#callbacks.splice(0)) koffi.unregister(callback);
  }

  add(name: string, relation: ReceivedRelation): void {
    this.#relations.set(name, relation);
  }

  /** The rows of these relations together, and how many of them scans have returned. */
  counts(names: Iterable<string>): { readonly rows: number; readonly rowsRead: number } {
    let [rows, rowsRead] = [0, 0];
    for (const name of names) {
      const relation = this.#relations.get(name);
      if (relation === undefined) continue;
      rows += relation.rows;
      rowsRead += this.#rowsRead.get(relation) ?? 0;
    }
    return { rows, rowsRead };
  }

  /** Must be called when no statement reads the relation any more. */
  drop(name: string): void {
    const relation = this.#relations.get(name);
    if (relation === undefined) return;
    this.#relations.delete(name);
    this.#rowsRead.delete(relation);
    for (const [number, bound] of this.#bound) if (bound === relation) this.#bound.delete(number);
    for (const [number, scan] of this.#scans) if (scan.relation === relation) this.#scans.delete(number);
    relation.released();
    relation.imported.destroy();
  }

  #bind(info: Pointer): void {
    const value = duckdb.bindGetParameter(info, 0);
    const name = takeString(duckdb.getVarchar(value));
    duckdb.destroyValue(slotOf(value).address);
    const relation = this.#relations.get(name);
    if (relation === undefined) {
      duckdb.bindSetError(info, `There are no received rows ${name}`);
      return;
    }
    const empty = ImportedBatch.empty(relation.imported.schema);
    const types = this.#chunk(relation, empty);
    for (const [i, { name }] of relation.imported.columns.entries()) {
      const type = duckdb.vectorType(duckdb.chunkVector(types, i));
      duckdb.bindAddColumn(info, name, type);
      duckdb.destroyType(slotOf(type).address);
    }
    duckdb.destroyChunk(slotOf(types).address);
    duckdb.bindSetCardinality(info, relation.rows, true);
    const number = ++this.#numbers;
    this.#bound.set(number, relation);
    duckdb.bindSetData(info, number, NO_RELEASE);
  }

  #init(info: Pointer): void {
    const relation = this.#bound.get(duckdb.initGetBindData(info))!;
    const number = ++this.#numbers;
    const batches = relation.batches();
    this.#scans.set(number, { relation, batches, batch: undefined, next: 0 });
    duckdb.initSetData(info, number, NO_RELEASE);
    duckdb.initSetMaxThreads(
      info,
      Math.max(1, Math.min(MAX_THREADS, Math.ceil(relation.rows / VECTOR_ROWS))),
    );
  }

  /** Fills the output; leaving it unchanged means no rows, which is the end. */
  #scan(info: Pointer, output: Pointer): void {
    const scan = this.#scans.get(duckdb.functionGetInitData(info))!;
    const { relation } = scan;
    try {
      const batch = nextRows(scan);
      if (batch === undefined) return;
      const chunk = this.#chunk(relation, batch);
      const rows = Number(duckdb.chunkSize(chunk));
      this.#rowsRead.set(relation, (this.#rowsRead.get(relation) ?? 0) + rows);
      for (let i = 0; i < relation.imported.columns.length; i++)
        duckdb.referenceVector(duckdb.chunkVector(output, i), duckdb.chunkVector(chunk, i));
      duckdb.chunkSetSize(output, rows);
      // The vectors of the output share what the kernel allocated for those of the chunk.
      duckdb.destroyChunk(slotOf(chunk).address);
    } catch (error) {
      duckdb.functionSetError(info, error instanceof Error ? error.message : String(error));
    }
  }

  #chunk({ imported }: ReceivedRelation, batch: ImportedBatch): Pointer {
    const slot = new NativeBlock(8);
    const { handle } = this.#connection!;
    checkErrorData(duckdb.chunkFromArrow(handle, batch.address, imported.handle, slot.address));
    batch.keepAlive();
    return slot.pointerAt(0);
  }
}

/** The next rows of a scan, as many as a vector holds; undefined at the end. */
function nextRows(scan: Scan): ImportedBatch | undefined {
  while (scan.batch === undefined || scan.next >= scan.batch.rows) {
    const next = scan.batches.next();
    if (next.done === true) return undefined;
    scan.batch = next.value;
    scan.next = 0;
  }
  const { arrays, rows } = scan.batch;
  const start = scan.next;
  scan.next += VECTOR_ROWS;
  const { schema } = scan.relation.imported;
  return ImportedBatch.slice(schema, arrays, start, Math.min(VECTOR_ROWS, rows - start));
}
