import koffi, { type TypeObject } from 'koffi';
import type { NativeConnection } from './connection.ts';
import { duckdb, NO_RELEASE, type Pointer, takeString } from './library.ts';
import { slotOf } from './memory.ts';
import { registerTableFunction } from './table-function.ts';

/** The table function that returns the rows of a relation, by its name. */
export const RECEIVED_FUNCTION = 'tessera_received';
/** More threads gain nothing, because one thread hands over all chunks. */
const MAX_THREADS = 64;

const BIND: TypeObject = koffi.proto('void tessera_received_bind(void *info)');
const INIT: TypeObject = koffi.proto('void tessera_received_init(void *info)');
const SCAN: TypeObject = koffi.proto('void tessera_received_scan(void *info, void *output)');

/** Rows in the memory of this process, as chunks of the kernel. */
export interface ReceivedRelation {
  readonly columns: readonly string[];
  /**
   * Chunks of at most one vector of rows; the first one has no rows and carries the types. They are destroyed
   * with the relation.
   */
  readonly chunks: readonly Pointer[];
  readonly rows: number;
  /** Called when nothing reads the chunks any more, so the memory that they point into is free. */
  readonly released: () => void;
}

interface Scan {
  readonly relation: ReceivedRelation;
  next: number;
}

/**
 * Relations that statements read in place, without a table: a scan receives the vectors of the chunks.
 * The kernel calls from its own threads, which wait for the event loop. So while a statement runs, nothing on
 * the event loop may wait for the kernel's threads.
 */
export class ReceivedRows {
  readonly #relations = new Map<string, ReceivedRelation>();
  /** Keyed by the numbers that the kernel stores for us instead of pointers. */
  readonly #bound = new Map<bigint, ReceivedRelation>();
  readonly #scans = new Map<bigint, Scan>();
  #numbers = 0n;

  /** Must be called before other connections are made. */
  install(connection: NativeConnection): void {
    const scan = (info: Pointer, output: Pointer) => this.#scan(info, output);
    registerTableFunction(connection, RECEIVED_FUNCTION, {
      bind: koffi.register((info: Pointer) => this.#bind(info), koffi.pointer(BIND)),
      init: koffi.register((info: Pointer) => this.#init(info), koffi.pointer(INIT)),
      scan: koffi.register(scan, koffi.pointer(SCAN)),
      pushesProjections: false,
    });
  }

  add(name: string, relation: ReceivedRelation): void {
    this.#relations.set(name, relation);
  }

  /** Must be called when no statement reads the relation any more. */
  drop(name: string): void {
    const relation = this.#relations.get(name);
    if (relation === undefined) return;
    this.#relations.delete(name);
    for (const [number, bound] of this.#bound) if (bound === relation) this.#bound.delete(number);
    for (const [number, scan] of this.#scans) if (scan.relation === relation) this.#scans.delete(number);
    for (const chunk of relation.chunks) duckdb.destroyChunk(slotOf(chunk).address);
    relation.released();
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
    for (const [i, column] of relation.columns.entries()) {
      const type = duckdb.vectorType(duckdb.chunkVector(relation.chunks[0]!, i));
      duckdb.bindAddColumn(info, column, type);
      duckdb.destroyType(slotOf(type).address);
    }
    duckdb.bindSetCardinality(info, relation.rows, true);
    const number = ++this.#numbers;
    this.#bound.set(number, relation);
    duckdb.bindSetData(info, number, NO_RELEASE);
  }

  #init(info: Pointer): void {
    const relation = this.#bound.get(duckdb.initGetBindData(info))!;
    const number = ++this.#numbers;
    this.#scans.set(number, { relation, next: 1 });
    duckdb.initSetData(info, number, NO_RELEASE);
    duckdb.initSetMaxThreads(info, Math.max(1, Math.min(MAX_THREADS, relation.chunks.length - 1)));
  }

  /** Fills the output; leaving it unchanged means no rows, which is the end. */
  #scan(info: Pointer, output: Pointer): void {
    const scan = this.#scans.get(duckdb.functionGetInitData(info))!;
    const chunk = scan.relation.chunks[scan.next];
    if (chunk === undefined) return;
    scan.next++;
    for (let i = 0; i < scan.relation.columns.length; i++)
      duckdb.referenceVector(duckdb.chunkVector(output, i), duckdb.chunkVector(chunk, i));
    duckdb.chunkSetSize(output, Number(duckdb.chunkSize(chunk)));
  }
}
