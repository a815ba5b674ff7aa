import { createHash } from 'node:crypto';
import type { Kernel } from '@tessera/kernel';
import { createRelation, type EncodedRelation } from '@tessera/system-catalog';
import { SharedTable } from './shared-table.ts';

interface Kept {
  readonly table: SharedTable;
  /** Resolves when the table has its rows. */
  readonly created: Promise<void>;
}

/** The number of tables that were made, for their names. */
let made = 0;

const MAX_KEPT = 64;
const MAX_SEEN = 1_024;
/** Relations whose rows are longer as JSON are not kept. */
const MAX_LENGTH = 4_000_000;

/**
 * Relations of information_schema and pg_catalog as tables in the memory of a kernel process, which statements share:
 * creating a relation takes the kernel as long as a small query over it, and tools read the same ones again and again. A
 * table is found by its columns and rows, so that it never shows anything else than a table made for the statement. A
 * relation is kept when the same rows occur for the second time; beyond 64 tables, the least recently used one is dropped.
 */
export class KeptRelations {
  readonly #kernel: Kernel;
  /** The tables by the digest of their columns and rows, least recently used first. */
  readonly #kept = new Map<string, Kept>();
  /** The digests of relations that occurred, least recently first. */
  readonly #seen = new Set<string>();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  get size(): number {
    return this.#kept.size;
  }

  /**
   * The name of the table in `kept` with the rows of a relation, which the caller must release; undefined if the statement
   * needs a table of its own.
   */
  async use(relation: EncodedRelation): Promise<{ readonly name: string; release(): void } | undefined> {
    if (!relation.isWhole || lengthOf(relation) > MAX_LENGTH) return undefined;
    const digest = digestOf(relation);
    const kept = this.#find(digest) ?? (this.#isDue(digest) ? this.#create(digest, relation) : undefined);
    if (kept === undefined) return undefined;
    const release = kept.table.use();
    try {
      await kept.created;
      return { name: kept.table.name, release };
    } catch {
      // The statement finds out itself what is wrong with the kernel.
      if (this.#kept.get(digest) === kept) this.#drop(digest);
      release();
      return undefined;
    }
  }

  #find(digest: string): Kept | undefined {
    const kept = this.#kept.get(digest);
    if (kept === undefined) return undefined;
    this.#kept.delete(digest);
    if (!kept.table.isThere) return undefined;
    this.#kept.set(digest, kept);
    return kept;
  }

  #isDue(digest: string): boolean {
    const isDue = this.#seen.delete(digest);
    this.#seen.add(digest);
    const [oldest] = this.#seen;
    if (this.#seen.size > MAX_SEEN && oldest !== undefined) this.#seen.delete(oldest);
    return isDue;
  }

  #create(digest: string, relation: EncodedRelation): Kept {
    made += 1;
    const table = new SharedTable(this.#kernel, `relation_${made}`);
    const kept: Kept = { table, created: this.#createTable(table, relation) };
    this.#kept.set(digest, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#drop(oldest);
    return kept;
  }

  async #createTable({ name }: SharedTable, relation: EncodedRelation): Promise<void> {
    // The session of the statement may be in a transaction, which others would not see.
    const session = await this.#kernel.session({});
    try {
      await createRelation(session, { database: 'kept', name }, relation);
    } finally {
      await session.close();
    }
  }

  #drop(digest: string): void {
    const kept = this.#kept.get(digest)!;
    this.#kept.delete(digest);
    kept.table.drop();
  }
}

const lengthOf = ({ first }: EncodedRelation): number =>
  (first?.parameters ?? []).reduce((sum, { length }) => sum + length, 0);

function digestOf({ definitions, first }: EncodedRelation): string {
  const hash = createHash('sha256');
  for (const text of [definitions, first?.sql ?? '', ...(first?.parameters ?? [])])
    hash.update(`${text.length} `).update(text);
  return hash.digest('base64');
}
