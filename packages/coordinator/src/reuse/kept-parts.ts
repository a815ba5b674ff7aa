import type { Snapshot } from '@tessera/catalog';
import type { Kernel } from '@tessera/kernel';
import type { OutputColumn } from '@tessera/sql';
import { isCurrent, type ResultSource } from './result-cache.ts';
import { SharedTable } from './shared-table.ts';

/** The schema in which a query names kept rows. No statement of a client can name it. */
export const PARTS_SCHEMA = '$parts';

/** The rows of a part of a query, as a table in the memory of a kernel process. */
export interface KeptRows {
  /** The name of the table, unique to this node. Its columns are `c0`, `c1` and so on. */
  readonly name: string;
  readonly processId: string;
  readonly columns: readonly OutputColumn[];
  readonly rows: number;
  readonly bytes: number;
  readonly sources: readonly ResultSource[];
  /** Whether the names in the text of the part mean the same in a snapshot. */
  readonly namesHold: (snapshot: Snapshot) => boolean;
}

interface Entry {
  readonly kept: KeptRows;
  readonly table: SharedTable;
  /** The number of queries that have read it. */
  uses: number;
}

/** A part whose rows fewer queries have read before its tables changed is not computed again. */
const MIN_USES = 10;
const MAX_SEEN = 4_096;
const REFUSED = 'refused';

/**
 * The rows of parts of queries that this node keeps, by the part's text and session. A part is kept when it occurs for the
 * second time; beyond the memory limit, the least recently used go first.
 */
export class KeptParts {
  readonly #kernel: Kernel;
  readonly #maxBytes: number;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  /** Parts that occurred, least recently first, with the contents of tables at that time, or `REFUSED`. */
  readonly #seen = new Map<string, string>();
  #bytes = 0;
  #made = 0;
  /** The number of parts that queries read from kept rows. */
  hits = 0;

  /** @param maxBytes 0 keeps nothing */
  constructor(kernel: Kernel, maxBytes: number) {
    this.#kernel = kernel;
    this.#maxBytes = maxBytes;
  }

  get isOn(): boolean {
    return this.#maxBytes > 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Larger rows are not kept. */
  get maxPartBytes(): number {
    return Math.floor(this.#maxBytes / 4);
  }

  newName(): string {
    this.#made += 1;
    return `part_${this.#made}`;
  }

  /** The rows of a part as a query of the snapshot sees them, which the caller must release. */
  use(key: string, snapshot: Snapshot): { readonly kept: KeptRows; release(): void } | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (!this.#holds(entry.kept, snapshot)) {
      if (!entry.table.isThere) this.#drop(key);
      return undefined;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.hits += 1;
    entry.uses += 1;
    return { kept: entry.kept, release: entry.table.use() };
  }

  /** The rows that a query of the snapshot would use. */
  peek(key: string, snapshot: Snapshot): KeptRows | undefined {
    const kept = this.#entries.get(key)?.kept;
    return kept !== undefined && this.#holds(kept, snapshot) ? kept : undefined;
  }

  /**
   * Whether the rows of the part are to be computed for a query of the snapshot: the part has occurred before with the same contents of
   * tables, and rows that it had with earlier contents were read often. Counts as an occurrence.
   * @param contents identifies the contents of the tables that the query reads
   */
  isDue(key: string, snapshot: Snapshot, contents: string): boolean {
    const entry = this.#entries.get(key);
    // A transaction with an older snapshot must not replace what newer queries read.
    if (entry?.kept.sources.some(({ id, version }) => version > snapshot.contentsVersion(id))) return false;
    if (entry !== undefined && entry.uses < MIN_USES) this.refuse(key);
    const seen = this.#seen.get(key);
    this.#remember(key, seen === REFUSED ? REFUSED : contents);
    return seen === contents;
  }

  /** The part is not worth keeping, or cannot be computed alone. */
  refuse(key: string): void {
    this.#remember(key, REFUSED);
  }

  /** Replaces what the key had. */
  add(key: string, kept: KeptRows): void {
    this.#drop(key);
    const table = new SharedTable(this.#kernel, kept.name, kept.processId);
    this.#entries.set(key, { kept, table, uses: 0 });
    this.#bytes += kept.bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#drop(oldest);
    }
  }

  #holds({ processId, namesHold, sources }: KeptRows, snapshot: Snapshot): boolean {
    return processId === this.#kernel.processId && namesHold(snapshot) && isCurrent({ sources }, snapshot);
  }

  #remember(key: string, value: string): void {
    this.#seen.delete(key);
    this.#seen.set(key, value);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MAX_SEEN && oldest !== undefined) this.#seen.delete(oldest);
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.kept.bytes;
    entry.table.drop();
  }
}
